// The due times of a fixed rate, also without the local times that `except` removes.
import { DAY, SECOND } from './duration.ts';
import type { LocalExclusions, TimesOfDay } from './exclusions.ts';
import type { SearchSteps } from './search-budget.ts';
import type { DueTimes } from './without-excluded.ts';
import { offsetPeriodAt, stepsOfPeriodAt } from './zones.ts';

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
 * local times, whose step divides a day. The grid shows which days have no time left, so that they are skipped. If the same times
 * of day are left on all days, the next due time among them is computed, however far away it is.
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
  let left: { ranges: readonly TimesOfDay[] | undefined } | undefined;

  return {
    next(after, steps) {
      let due = rate.next(after);
      while (due < end) {
        steps.take(due - 1, stepsOfPeriodAt(zone, due));
        const { offset, end: periodEnd } = offsetPeriodAt(zone, due);
        const local = due + offset;
        const beyond = excluded.skipForwards(local);
        if (beyond === local) return due;
        const midnight = midnightOf(local);
        const count = (work: number) => steps.take(due - 1, work);
        const target = isEmptyDay(midnight, modulo(anchor + offset, step), count)
          ? Math.max(beyond, midnight + DAY)
          : beyond;
        const next = rate.next(Math.min(target - offset, periodEnd) - 1);
        left ??= { ranges: excluded.leftOnEveryDay() };
        const periods = left.ranges && periodsUntil(next + offset, period, left.ranges, steps, due);
        due = rate.next(Math.min(next + (periods ?? 0) * period, periodEnd) - 1);
      }
      return undefined;
    },
    latest(after, until, steps) {
      let due = rate.latest(after, Math.min(until, end - 1));
      while (due !== undefined) {
        steps.takeBackwards(stepsOfPeriodAt(zone, due));
        const { offset, start } = offsetPeriodAt(zone, due);
        const local = due + offset;
        const beyond = excluded.skipBackwards(local);
        if (beyond === local) return due;
        const midnight = midnightOf(local);
        const count = (work: number) => steps.takeBackwards(work);
        const target = isEmptyDay(midnight, modulo(anchor + offset, step), count)
          ? Math.min(beyond, midnight - 1)
          : beyond;
        due = rate.latest(after, Math.max(target - offset, start - 1));
      }
      return undefined;
    },
  };
}

/** The number of periods after `local` until a time of day is in one of the ranges. Infinity if that never happens. */
function periodsUntil(
  local: number,
  period: number,
  ranges: readonly TimesOfDay[],
  steps: SearchSteps,
  due: number,
): number {
  steps.take(due - 1, 1 + ranges.length);
  const start = modulo(local, DAY);
  let fewest = Number.POSITIVE_INFINITY;
  for (const { from, to } of ranges) {
    if (from <= start && start <= to) return 0;
    const found = firstMultipleIn(period % DAY, DAY, modulo(from - start, DAY), modulo(to - start, DAY));
    fewest = Math.min(fewest, found ?? fewest);
  }
  return fewest;
}

/**
 * The smallest n with low ≤ n × factor mod modulus ≤ high, where 0 < low ≤ high < modulus. Undefined if there is none. Like
 * Euclid's algorithm, it takes a logarithmic number of steps.
 */
export function firstMultipleIn(
  factor: number,
  modulus: number,
  low: number,
  high: number,
): number | undefined {
  if (factor === 0) return undefined;
  // the same distances, counted downwards
  if (factor * 2 > modulus) return firstMultipleIn(modulus - factor, modulus, modulus - high, modulus - low);
  const direct = Math.ceil(low / factor);
  if (direct * factor <= high) return direct;
  // No multiple of the factor is in the range itself, so the number of times that the modulus is passed decides.
  const passed = firstMultipleIn(modulus % factor, factor, modulo(-high, factor), modulo(-low, factor));
  return passed === undefined ? undefined : Math.ceil((low + modulus * passed) / factor);
}

/** Whether all times of a grid are excluded on a day. It is computed once for each kind of day and phase of the grid. */
function emptyDays(
  step: number,
  excluded: LocalExclusions,
): (midnight: number, phase: number, count: (steps: number) => void) => boolean {
  const known = new Map<string, boolean>();
  function isEmpty(midnight: number, phase: number): { result: boolean; looks: number } {
    let local = midnight + phase;
    let looks = 0;
    while (local < midnight + DAY) {
      looks++;
      const beyond = excluded.skipForwards(local);
      if (beyond === local) return { result: false, looks };
      local += Math.ceil((beyond - local) / step) * step;
    }
    return { result: true, looks };
  }
  return (midnight, phase, count) => {
    const key = `${excluded.kindOfDay(midnight)} ${phase}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const { result, looks } = isEmpty(midnight, phase);
    known.set(key, result);
    count(looks);
    return result;
  };
}

const midnightOf = (local: number): number => Math.floor(local / DAY) * DAY;

const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);
