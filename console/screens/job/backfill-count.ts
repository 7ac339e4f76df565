// How many executions a backfill adds: the occurrences of the range that have none.
import { occurrencesAfter } from '../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';

/** The server accepts at most this number of occurrences in a range. */
export const MAX_BACKFILLED = 1000;

export interface Range {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** The due times of the range. One more than the maximum if there are too many. */
export function duesOf(schedule: Schedule, { from, to }: Range): number[] {
  const dues: number[] = [];
  for (const due of occurrencesAfter(schedule, from - 1)) {
    if (due >= to || dues.push(due) > MAX_BACKFILLED) break;
  }
  return dues;
}

interface Existing {
  readonly dueAt: string;
  readonly trigger: string;
}

/** A manual run stands for no occurrence. */
export function missingCount(dues: readonly number[], executions: readonly Existing[]): number {
  const existing = new Set(
    executions.filter(({ trigger }) => trigger !== 'manual').map(({ dueAt }) => Date.parse(dueAt)),
  );
  return dues.filter((due) => !existing.has(due)).length;
}
