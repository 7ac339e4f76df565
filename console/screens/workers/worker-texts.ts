// Workers in words and numbers.
import type { Worker } from '../../../src/client/client.ts';

export const OUTCOMES = ['succeeded', 'failed', 'skipped', 'cancelled'] as const;

export type MinuteCounts = NonNullable<Worker['recent']>[number];

/** `1,204 succeeded, 3 failed`. Undefined for a worker of an earlier version, which does not count. */
export function endedText({ recent }: Pick<Worker, 'recent'>): string | undefined {
  if (recent === undefined) return undefined;
  const counts = OUTCOMES.map((outcome) => ({
    outcome,
    count: recent.reduce((sum, minute) => sum + minute[outcome], 0),
  })).filter(({ count }) => count > 0);
  return counts.length === 0
    ? 'none'
    : counts.map(({ outcome, count }) => `${count.toLocaleString('en')} ${outcome}`).join(', ');
}

export const endedIn = (minute: MinuteCounts): number =>
  OUTCOMES.reduce((sum, outcome) => sum + minute[outcome], 0);

export interface RunningExecution {
  readonly id: string;
  readonly since: string;
  readonly workerId: string;
}

/** The running executions of all workers. The longest run is first. */
export const runningOf = (workers: readonly Worker[]): RunningExecution[] =>
  workers
    .flatMap(({ id: workerId, running }) => running.map(({ id, since }) => ({ id, since, workerId })))
    .sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
