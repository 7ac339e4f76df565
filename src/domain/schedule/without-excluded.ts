// The searches for times that `except` does not remove. They skip excluded units and ranges as a whole, and remember which days
// have no time left. So the number of steps is bounded, also if no occurrence is left (docs/decisions/0040).
import { DAY } from './duration.ts';
import type { InstantRange, LocalExclusions } from './exclusions.ts';
import type { SearchSteps } from './search-budget.ts';
import type { LocalTimes } from './wall-clock.ts';

/** Counts the steps up to a local time. Between the start of the search and that time is none. It may throw. */
export type CountLocal = (local: number, steps: number) => void;

/** Times at `limit` and beyond it are not found. */
export interface LimitedTimes {
  next(local: number, limit: number, count: CountLocal): number | undefined;
  previous(local: number, limit: number, count: CountLocal): number | undefined;
}

/** Local times look for their days month by month, up to the last year. */
const MONTH = 30 * DAY;
const LAST_MONTHS = 2_400;

/** All times, as `LimitedTimes`. */
export function limitedTimes(times: LocalTimes): LimitedTimes {
  const counted = (from: number, found: number | undefined, count: CountLocal): number | undefined => {
    count(from, monthsBetween(from, found));
    return found;
  };
  return {
    next: (local, _limit, count) => counted(local, times.next(local), count),
    previous: (local, _limit, count) => counted(local, times.previous(local), count),
  };
}

const monthsBetween = (from: number, found: number | undefined): number =>
  1 + (found === undefined ? LAST_MONTHS : Math.floor(Math.abs(found - from) / MONTH));

/** The due instants of a schedule. */
export interface DueTimes {
  /** The first one later than `after`. */
  next(after: number, steps: SearchSteps): number | undefined;
  /** The last one later than `after` and not later than `until`. */
  latest(after: number, until: number, steps: SearchSteps): number | undefined;
}

type Direction = 1 | -1;

export function localTimesWithout(times: LocalTimes, excluded: LocalExclusions): LimitedTimes {
  /** The kinds of days on which all times are excluded. */
  const emptyKinds = new Set<number>();
  const step = (at: number, direction: Direction): number | undefined =>
    direction === 1 ? times.next(at) : times.previous(at);
  const skip = (at: number, direction: Direction): number =>
    direction === 1 ? excluded.skipForwards(at) : excluded.skipBackwards(at);

  /** The first time of a day, from `time` to `last`, that is not excluded. */
  function leftOnDay(
    time: number,
    last: number,
    direction: Direction,
    count: CountLocal,
  ): number | undefined {
    let at: number | undefined = time;
    while (at !== undefined && (last - at) * direction >= 0) {
      count(at, 1);
      const beyond = skip(at, direction);
      if (beyond === at) return at;
      at = step(beyond, direction);
    }
    return undefined;
  }

  function search(start: number, limit: number, direction: Direction, count: CountLocal): number | undefined {
    let from = start;
    let time = step(from, direction);
    count(from, monthsBetween(from, time));
    while (time !== undefined && (limit - time) * direction > 0) {
      const midnight = Math.floor(time / DAY) * DAY;
      const [first, last] = direction === 1 ? [midnight, midnight + DAY - 1] : [midnight + DAY - 1, midnight];
      const kind = excluded.kindOfDay(midnight);
      if (!emptyKinds.has(kind)) {
        const found = leftOnDay(time, last, direction, count);
        if (found !== undefined) return (limit - found) * direction > 0 ? found : undefined;
        // All times of the day were looked at only if the search came from outside of it.
        if ((first - from) * direction >= 0) emptyKinds.add(kind);
      }
      const nextDay = last + direction;
      const skipped = skip(first, direction);
      from = (skipped - nextDay) * direction > 0 ? skipped : nextDay;
      time = step(from, direction);
      count(from, monthsBetween(from, time));
    }
    return undefined;
  }

  return {
    next: (local, limit, count) => search(local, limit, 1, count),
    previous: (local, limit, count) => search(local, limit, -1, count),
  };
}

/** Each range is skipped once at most. */
export function dueTimesWithout(due: DueTimes, ranges: readonly InstantRange[]): DueTimes {
  if (ranges.length === 0) return due;
  const around = (instant: number): InstantRange | undefined =>
    ranges.find(({ from, to }) => from <= instant && instant <= to);
  return {
    next(after, steps) {
      let found = due.next(after, steps);
      for (let range = around(found ?? Number.NaN); range; range = around(found ?? Number.NaN))
        found = due.next(range.to, steps);
      return found;
    },
    latest(after, until, steps) {
      let found = due.latest(after, until, steps);
      for (let range = around(found ?? Number.NaN); range; range = around(found ?? Number.NaN))
        found = due.latest(after, range.from - 1, steps);
      return found;
    },
  };
}
