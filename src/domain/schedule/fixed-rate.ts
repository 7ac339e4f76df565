// The due times of a fixed rate, also without the local times that `except` removes.
import { DAY, SECOND } from './duration.ts';
import type { LocalExclusions } from './exclusions.ts';
import type { DueTimes } from './without-excluded.ts';
import { offsetPeriodAt } from './zones.ts';

/** anchor, anchor + period, anchor + 2 periods … */
export function fixedRate(anchor: number, period: number) {
  return {
    next: (after: number): number =>
      after < anchor ? anchor : anchor + (Math.floor((after - anchor) / period) + 1) * period,
    latest(after: number, until: number): number | undefined {
      const due = anchor + Math.floor((until - anchor) / period) * period;
      return due >= anchor && due > after ? due : undefined;
    },
  } satisfies DueTimes;
}

/**
 * The rate without excluded local times. While the offset of the zone is constant, all due times of all days are in one grid of
 * local times, whose step divides a day. The grid shows which days have no time left, so that they are skipped.
 */
export function fixedRateWithout(
  anchor: number,
  period: number,
  excluded: LocalExclusions,
  zone: string,
  /** The search ends here. */
  end: number,
): DueTimes {
  const rate = fixedRate(anchor, period);
  // A rate with a fraction of a second is excluded by whole days only, which need no grid.
  const step = period % SECOND === 0 ? greatestCommonDivisor(period, DAY) : SECOND;
  const isEmptyDay = emptyDays(step, excluded);
  return {
    next(after, steps) {
      let due = rate.next(after);
      while (due < end) {
        steps.take(due - 1);
        const { offset, end: periodEnd } = offsetPeriodAt(zone, due);
        const local = due + offset;
        const beyond = excluded.skipForwards(local);
        if (beyond === local) return due;
        const midnight = midnightOf(local);
        const target = isEmptyDay(midnight, modulo(anchor + offset, step))
          ? Math.max(beyond, midnight + DAY)
          : beyond;
        due = rate.next(Math.min(target - offset, periodEnd) - 1);
      }
      return undefined;
    },
    latest(after, until, steps) {
      let due = rate.latest(after, Math.min(until, end - 1));
      while (due !== undefined) {
        steps.take(due - 1);
        const { offset, start } = offsetPeriodAt(zone, due);
        const local = due + offset;
        const beyond = excluded.skipBackwards(local);
        if (beyond === local) return due;
        const midnight = midnightOf(local);
        const target = isEmptyDay(midnight, modulo(anchor + offset, step))
          ? Math.min(beyond, midnight - 1)
          : beyond;
        due = rate.latest(after, Math.max(target - offset, start - 1));
      }
      return undefined;
    },
  };
}

/** Whether all times of a grid are excluded on a day. It is computed once for each kind of day and phase of the grid. */
function emptyDays(step: number, excluded: LocalExclusions): (midnight: number, phase: number) => boolean {
  const known = new Map<string, boolean>();
  function isEmpty(midnight: number, phase: number): boolean {
    let local = midnight + phase;
    while (local < midnight + DAY) {
      const beyond = excluded.skipForwards(local);
      if (beyond === local) return false;
      local += Math.ceil((beyond - local) / step) * step;
    }
    return true;
  }
  return (midnight, phase) => {
    const key = `${excluded.kindOfDay(midnight)} ${phase}`;
    const result = known.get(key) ?? isEmpty(midnight, phase);
    known.set(key, result);
    return result;
  };
}

const midnightOf = (local: number): number => Math.floor(local / DAY) * DAY;

const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);
