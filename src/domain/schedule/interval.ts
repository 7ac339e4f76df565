// The shortest interval of a schedule, which quotas limit.
import { durationMs } from './duration.ts';
import { occurrencesAfter, withoutExcept } from './occurrences.ts';
import type { Schedule } from './schedule-schema.ts';
import { SearchBudget, SearchEnded } from './search-budget.ts';

/** Number of occurrences that are compared. The shortest interval of a pattern occurs within a few of its times. */
const MAX_COMPARED = 64;
const LIMITS = { perSearch: 10_000, total: 20_000 };

/**
 * The shortest time between two occurrences from `now` on, in milliseconds. Undefined if there are fewer than two. Exclusions do
 * not count: they never make it shorter, and an exclusion that is in force today only must not hide a short interval.
 */
export function shortestInterval(schedule: Schedule, now: number): number | undefined {
  if ('every' in schedule) return durationMs(schedule.every, 'schedule.every');
  let shortest: number | undefined;
  let before: number | undefined;
  let seen = 0;
  try {
    for (const due of occurrencesAfter(withoutExcept(schedule), now, new SearchBudget(LIMITS))) {
      if (before !== undefined) shortest = Math.min(shortest ?? Number.POSITIVE_INFINITY, due - before);
      before = due;
      if (++seen === MAX_COMPARED) break;
    }
  } catch (error) {
    // what comes so late is no short interval
    if (!(error instanceof SearchEnded)) throw error;
  }
  return shortest;
}
