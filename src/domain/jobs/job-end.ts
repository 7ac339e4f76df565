// The end of a job, as far as its head shows it. The retention of the job counts from then.
import { instantMs } from '../schedule/instant.ts';
import { patternOf } from '../schedule/pattern.ts';
import type { Schedule } from '../schedule/schedule-schema.ts';
import type { Head } from './job.ts';

type Ending = Pick<Head, 'status' | 'schedule' | 'updatedAt'>;

const DAY_MS = 86_400_000;

/**
 * The time of the last possible occurrence, or of the last change if that is later. A pause makes no difference: what it
 * withholds never runs. Undefined if the schedule goes on for ever.
 */
export function endOfJob({ status, schedule, updatedAt }: Ending): number | undefined {
  if (status === 'cancelled' || status === 'completed' || status === 'failed') return updatedAt;
  const last = lastPossible(schedule);
  return last === undefined ? undefined : Math.max(updatedAt, last);
}

/** No occurrence is later. Undefined if the schedule has no end. */
function lastPossible(schedule: Schedule): number | undefined {
  if ('at' in schedule) return instantMs(schedule.at);
  const ends = [
    schedule.endAt === undefined ? undefined : instantMs(schedule.endAt),
    'every' in schedule ? undefined : endOfYears(patternOf(schedule).year),
  ].filter((end) => end !== undefined);
  return ends.length > 0 ? Math.min(...ends) : undefined;
}

/** The end of the last year of a pattern, in every time zone. */
function endOfYears(years: ReturnType<typeof patternOf>['year']): number | undefined {
  const last = years.map((term) => (term.kind === 'range' ? term.to : undefined));
  return last.every((year) => year !== undefined) ? Date.UTC(Math.max(...last) + 1, 0, 2) : undefined;
}

/** An execution that ends later than the end of its job by more than this moves the expiry of the job. */
const LATE_MS = 3 * DAY_MS;

/** Whether an execution at this time may outlive the job, whose end is `end`. */
export const isLateFor = (end: number | undefined, time: number): boolean =>
  end !== undefined && time > end + LATE_MS;

/** Whether the expiry of a job must move if its end does. */
export const isOtherEnd = (end: number | undefined, next: number | undefined): boolean =>
  end === undefined || next === undefined ? end !== next : Math.abs(end - next) > DAY_MS;

/** Whether the end moves to a later time, or away. */
export const isLaterEnd = (end: number | undefined, next: number | undefined): boolean =>
  end !== undefined && (next === undefined || next > end);
