// Runs that start in the same second, and the jitter that would spread them.
import { SECOND } from '../../../src/domain/schedule/duration.ts';
import { nextOccurrence } from '../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';
import { jitterOf, type PlannedJob, type PlannedRun } from './compute-forecast.ts';

export interface BusiestSecond {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly runs: number;
}

/** Undefined without runs. The earlier of two equal seconds. */
export function busiestSecond(runs: readonly PlannedRun[]): BusiestSecond | undefined {
  const counts = new Map<number, number>();
  for (const { at } of runs) counts.set(secondOf(at), (counts.get(secondOf(at)) ?? 0) + 1);
  let busiest: BusiestSecond | undefined;
  for (const [at, count] of counts) if (count > (busiest?.runs ?? 0)) busiest = { at, runs: count };
  return busiest;
}

const secondOf = (at: number): number => Math.floor(at / SECOND) * SECOND;

/** The largest jitter that is proposed. */
const MAX_PROPOSED_SECONDS = 300;
/** Jitter takes at most this part of the time between two runs. */
const PART_OF_GAP = 10;
const MIN_PROPOSED_SECONDS = 5;

/**
 * The jitter in seconds that would spread the runs of a job. Undefined if the job has jitter, runs once, runs alone in its
 * second, or runs so often that jitter would matter.
 */
export function proposedJitter(job: PlannedJob, runs: readonly PlannedRun[]): number | undefined {
  const schedule = job.schedule as Schedule;
  if ('at' in schedule || jitterOf(schedule) > 0) return undefined;
  const own = runs.find((run) => run.job === job && sharesSecond(run, runs));
  if (!own) return undefined;
  const next = nextOccurrence(schedule, own.at);
  const gapSeconds = next === undefined ? Number.POSITIVE_INFINITY : (next - own.at) / SECOND;
  const proposed = Math.min(MAX_PROPOSED_SECONDS, Math.floor(gapSeconds / PART_OF_GAP));
  return proposed >= MIN_PROPOSED_SECONDS ? proposed : undefined;
}

const sharesSecond = (run: PlannedRun, runs: readonly PlannedRun[]): boolean =>
  runs.some((other) => other.job !== run.job && secondOf(other.at) === secondOf(run.at));
