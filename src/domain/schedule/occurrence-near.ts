// The occurrence of a schedule that is nearest to a time that a person names.
import { fireAt, latestOccurrence, nextOccurrence, unlessEnded } from './occurrences.ts';
import type { Schedule } from './schedule-schema.ts';
import { SearchBudget } from './search-budget.ts';

export interface NearOccurrence {
  readonly due: number;
  /** Milliseconds between the time asked for and the occurrence. 0 from its due time to its fire time. */
  readonly distance: number;
}

/** The nearest occurrence, at most `toleranceMs` away. Of two at the same distance the earlier one. */
export function occurrenceNear(
  schedule: Schedule,
  jobId: string,
  at: number,
  toleranceMs: number,
): NearOccurrence | undefined {
  const jitterMs = 'jitterSeconds' in schedule ? (schedule.jitterSeconds ?? 0) * 1000 : 0;
  const dues = [
    latestOccurrence(schedule, at - toleranceMs - jitterMs - 1, at),
    // the first one within the tolerance: a later one is not near, so it is not searched for
    firstWithin(schedule, at, toleranceMs),
  ].filter((due) => due !== undefined);
  const distanceTo = (due: number): number => Math.max(0, due - at, at - fireAt(schedule, jobId, due));
  const [nearest] = dues
    .map((due) => ({ due, distance: distanceTo(due) }))
    .filter(({ distance }) => distance <= toleranceMs)
    .sort((a, b) => a.distance - b.distance);
  return nearest;
}

/** Steps that reach far beyond every tolerance. */
const STEPS = 5_000;

function firstWithin(schedule: Schedule, at: number, toleranceMs: number): number | undefined {
  const due = unlessEnded(
    () => nextOccurrence(schedule, at, new SearchBudget({ perSearch: STEPS })),
    () => undefined,
  );
  return due !== undefined && due <= at + toleranceMs ? due : undefined;
}
