// Warnings about `except`: an exclusion that removes nothing, and exclusions that remove everything for a year.
import { parseCron } from './cron.ts';
import { exclusionInWords } from './describe-except.ts';
import { DAY } from './duration.ts';
import type { Exclusion } from './exclusions.ts';
import { daysBetween, isDate } from './exclusions.ts';
import { instantMs, isoIn } from './instant.ts';
import { nextOccurrence, withoutExcept } from './occurrences.ts';
import type { OneTime, Schedule } from './schedule-schema.ts';
import type { SearchBudget } from './search-budget.ts';
import { wallClockOf } from './wall-clock.ts';
import type { ScheduleWarning } from './warning-kinds.ts';
import { offsetPeriodAt } from './zones.ts';

const YEAR = 366 * DAY;
/** Number of times that are compared with exclusions. If it is used up, there is no further warning. */
const MAX_COMPARED = 2000;

export function exceptWarnings(
  schedule: Exclude<Schedule, OneTime>,
  now: number,
  searches: SearchBudget,
): ScheduleWarning[] {
  const { except = [], timezone = 'UTC' } = schedule;
  if (except.length === 0) return [];
  const all = withoutExcept(schedule);
  const next = nextOccurrence(schedule, now - 1, searches);
  if (
    next !== undefined &&
    next > now + YEAR &&
    (nextOccurrence(all, now - 1, searches) ?? next) <= now + YEAR
  ) {
    const at = isoIn(timezone, next);
    const message = `The exclusions remove all times of the next year: the next run is at ${at}`;
    return [{ kind: 'exceptAll', at, message }];
  }
  const comparisons = { left: MAX_COMPARED };
  const unused = [...except.entries()].filter(([, one]) =>
    removesNothing(all, one, timezone, now, searches, comparisons),
  );
  return unused.map(([n, exclusion]) => ({
    kind: 'exceptNothing',
    message: `schedule.except[${n}] (${exclusionInWords(exclusion)}) removes no time of the next year`,
  }));
}

/** Leaps in turns: to the next time that the exclusion may remove, and to the next time of the schedule from there on. */
function removesNothing(
  schedule: Schedule,
  exclusion: Exclusion,
  timezone: string,
  now: number,
  searches: SearchBudget,
  comparisons: { left: number },
): boolean {
  const removable = removableTimes(exclusion, timezone);
  let due = nextOccurrence(schedule, now - 1, searches);
  for (; due !== undefined && due <= now + YEAR; comparisons.left--) {
    const at = removable(due);
    if (at === due || comparisons.left <= 0) return false;
    due = at === undefined ? undefined : nextOccurrence(schedule, at - 1, searches);
  }
  return true;
}

/** The first instant at or after `due` that the exclusion may remove. It does remove `due` itself if that is returned. */
function removableTimes(exclusion: Exclusion, timezone: string): (due: number) => number | undefined {
  if (typeof exclusion === 'object' && !('cron' in exclusion) && !isDate(exclusion.from)) {
    const [from, to] = [instantMs(exclusion.from), instantMs(exclusion.to)];
    return (due) => (due <= to ? Math.max(due, from) : undefined);
  }
  const removableLocal = removableLocalTimes(exclusion);
  return (due) => {
    const { offset, end } = offsetPeriodAt(timezone, due);
    const local = removableLocal(due + offset);
    return local === undefined || local >= end + offset ? end : local - offset;
  };
}

function removableLocalTimes(exclusion: Exclusion): (local: number) => number | undefined {
  if (typeof exclusion === 'object' && 'cron' in exclusion) {
    const clock = wallClockOf(parseCron(exclusion.cron, 'all'));
    return (local) => {
      const second = Math.floor(local / 1000) * 1000;
      const match = clock.next(second);
      return match === second ? local : match;
    };
  }
  const { from, to } = typeof exclusion === 'string' ? { from: exclusion, to: exclusion } : exclusion;
  const { start, end } = daysBetween(from, to);
  return (local) => (local < end ? Math.max(local, start) : undefined);
}
