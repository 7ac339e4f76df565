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

/** The used and all run slots of the workers that accept executions. `all` is undefined if a worker does not report its slots. */
export function slotsOf(workers: readonly Worker[]): { readonly used: number; readonly all?: number } {
  const accepting = workers.filter(({ draining }) => !draining);
  const used = accepting.reduce((sum, { running }) => sum + running.length, 0);
  if (accepting.some(({ concurrency }) => concurrency === undefined)) return { used };
  return { used, all: accepting.reduce((sum, { concurrency = 0 }) => sum + concurrency, 0) };
}

/** A watcher passes once a minute, so a lag of two minutes means that it missed a pass. */
export const MAX_NORMAL_LAG_SECONDS = 120;

export type LagState = 'onTime' | 'behind' | 'unknown';

export function lagState(seconds: number | undefined): LagState {
  if (seconds === undefined) return 'unknown';
  return seconds <= MAX_NORMAL_LAG_SECONDS ? 'onTime' : 'behind';
}
