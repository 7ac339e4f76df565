// Other jobs of the user that run in the same minute as the next runs of the schedule.
import { MINUTE } from '../../../../src/domain/schedule/duration.ts';
import { nextOccurrence } from '../../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../../src/domain/schedule/schedule-schema.ts';

/** The part of a job that the search reads. */
export interface OtherJob {
  readonly id: string;
  readonly name?: string | undefined;
  readonly task: string;
  readonly status: string;
  readonly schedule: object;
}

export interface Collision {
  readonly job: OtherJob;
  /** The given times in whose minute the job runs. */
  readonly times: readonly number[];
}

export interface Collisions {
  /** Most collisions first. */
  readonly found: readonly Collision[];
  /** The number of given times that collide with any job. */
  readonly times: number;
  /** Jobs that run in every one of the given minutes, because they run every minute or more often. */
  readonly steady: number;
}

export function collisionsOf(times: readonly number[], others: readonly OtherJob[]): Collisions {
  const minutes = [...new Set(times.map((time) => Math.floor(time / MINUTE) * MINUTE))];
  const all = others
    .filter(({ status }) => status === 'active')
    .map((job) => ({ job, times: minutes.filter((minute) => runsIn(job.schedule as Schedule, minute)) }))
    .filter(({ times: shared }) => shared.length > 0);
  // A job of every minute collides with everything, which is no news about this schedule.
  const isSteady = ({ job }: Collision): boolean =>
    runsEveryMinute(job.schedule as Schedule, minutes[0] ?? 0);
  const found = all
    .filter((collision) => !isSteady(collision))
    .sort((a, b) => b.times.length - a.times.length);
  return {
    found,
    times: new Set(found.flatMap(({ times: shared }) => shared)).size,
    steady: all.length - found.length,
  };
}

function runsIn(schedule: Schedule, minute: number): boolean {
  const next = nextOccurrence(schedule, minute - 1);
  return next !== undefined && next < minute + MINUTE;
}

const runsEveryMinute = (schedule: Schedule, from: number): boolean =>
  [0, 1, 2, 3, 4].every((index) => runsIn(schedule, from + index * MINUTE));
