// How close together a schedule fires.
import { durationMs } from './duration.ts';
import { occurrencesAfter } from './occurrences.ts';
import type { Schedule } from './schedule-schema.ts';

/** A pattern's shortest gap shows within a few of its times: they are looked at, not the whole calendar. */
const LOOK_AT = 64;

/** The shortest time between two occurrences from `now` on, in milliseconds; undefined when there are no two. */
export function shortestInterval(schedule: Schedule, now: number): number | undefined {
  if ('every' in schedule) return durationMs(schedule.every, 'schedule.every');
  let shortest: number | undefined;
  let before: number | undefined;
  let seen = 0;
  for (const due of occurrencesAfter(schedule, now)) {
    if (before !== undefined) shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, due - before);
    before = due;
    if (++seen === LOOK_AT) break;
  }
  return shortest;
}
