// The times that `except` removes from a schedule. Dates and patterns are local times of the schedule's timezone. Ranges of
// times are instants.
import { type Cron, isEvery, parseCron } from './cron.ts';
import { FIELDS, valuesOf } from './cron-field.ts';
import { DAY, HOUR, MINUTE, SECOND } from './duration.ts';
import { instantMs } from './instant.ts';
import { dayMatcher } from './wall-clock.ts';

/** A local date, a range of dates or times, or a cron pattern. */
export type Exclusion = string | { from: string; to: string } | { cron: string };

/** Maximum size of the stored JSON. The head of a job has it, and a head above 1 KB costs one more write unit. */
export const MAX_EXCEPT_BYTES = 200;

/** From `from` (inclusive) to `to` (inclusive), in epoch milliseconds. */
export interface InstantRange {
  readonly from: number;
  readonly to: number;
}

/** The excluded local times. A local time is a number, as if the timezone were UTC. */
export interface LocalExclusions {
  /** `local` if it is not excluded, else a later time. All times between the two are excluded. */
  skipForwards(local: number): number;
  /** `local` if it is not excluded, else an earlier time. All times between the two are excluded. */
  skipBackwards(local: number): number;
  /** Days with the same number have the same excluded times of day. 0 is a day without any. */
  kindOfDay(midnight: number): number;
  /**
   * The times of day that patterns without a restriction of days leave. No other time is left on any day. Undefined if there is
   * no such pattern, or if the times are more than `MAX_RANGES` ranges.
   */
  leftOnEveryDay(): readonly TimesOfDay[] | undefined;
}

/** From `from` to `to`, both inclusive, in milliseconds after midnight. */
export interface TimesOfDay {
  readonly from: number;
  readonly to: number;
}

const MAX_RANGES = 64;

export interface Exclusions {
  readonly instants: readonly InstantRange[];
  /** Undefined if only ranges of instants are excluded. */
  readonly local: LocalExclusions | undefined;
}

export const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text);

export function exclusionsOf(except: readonly Exclusion[]): Exclusions {
  const dates: Days[] = [];
  const patterns: Cron[] = [];
  const instants: InstantRange[] = [];
  for (const exclusion of except) {
    if (typeof exclusion === 'string') dates.push(daysBetween(exclusion, exclusion));
    else if ('cron' in exclusion) patterns.push(parseCron(exclusion.cron, 'all'));
    else if (isDate(exclusion.from)) dates.push(daysBetween(exclusion.from, exclusion.to));
    else instants.push({ from: instantMs(exclusion.from), to: instantMs(exclusion.to) });
  }
  const hasLocal = dates.length + patterns.length > 0;
  return { instants, local: hasLocal ? localExclusions(merged(dates), patterns) : undefined };
}

/** Whole local days, from `start` (inclusive) to `end` (exclusive). */
interface Days {
  readonly start: number;
  readonly end: number;
}

export const daysBetween = (first: string, last: string): Days => ({
  start: Date.parse(first),
  end: Date.parse(last) + DAY,
});

/** Joins ranges that touch, so that one step skips them. */
function merged(dates: readonly Days[]): Days[] {
  const result: Days[] = [];
  for (const days of dates.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && days.start <= last.end)
      result.splice(-1, 1, { start: last.start, end: Math.max(last.end, days.end) });
    else result.push(days);
  }
  return result;
}

const WHOLE_DAY = -1;

/**
 * Pattern n is bit n of each number. A time is excluded if one bit is left in `kindOfDay & hours[h] & minutes[m] & seconds[s]`.
 * The size limit of `except` allows 9 patterns.
 */
function localExclusions(dates: readonly Days[], patterns: readonly Cron[]): LocalExclusions {
  const bits = (matches: (pattern: Cron) => boolean): number =>
    patterns.reduce((sum, pattern, n) => (matches(pattern) ? sum | (1 << n) : sum), 0);
  const hours = range(24).map((h) => bits(({ hour }) => valuesOf(FIELDS.hour, hour).includes(h)));
  const minutes = range(60).map((m) => bits(({ minute }) => valuesOf(FIELDS.minute, minute).includes(m)));
  const seconds = range(60).map((s) => bits(({ second }) => valuesOf(FIELDS.second, second).includes(s)));
  /** Whether these patterns together exclude a whole minute, hour or day. */
  const isFullMinute = memoized((patterns) => seconds.every((bit) => (patterns & bit) !== 0));
  const isFullHour = memoized((patterns) => minutes.every((bit) => isFullMinute(patterns & bit)));
  const isFullDay = memoized((patterns) => hours.every((bit) => isFullHour(patterns & bit)));
  const patternsOn = patternsByDay(patterns);
  const datesAround = (midnight: number): Days | undefined =>
    dates.find(({ start, end }) => start <= midnight && midnight < end);

  /** The size of the excluded unit that contains `local`. 0 if `local` is not excluded. */
  function excludedUnit(local: number, midnight: number): number {
    const onDay = patternsOn(midnight);
    if (onDay === 0) return 0;
    if (isFullDay(onDay)) return DAY;
    const inHour = onDay & (hours[Math.floor((local - midnight) / HOUR)] ?? 0);
    if (isFullHour(inHour)) return HOUR;
    const inMinute = inHour & (minutes[Math.floor((local - midnight) / MINUTE) % 60] ?? 0);
    if (isFullMinute(inMinute)) return MINUTE;
    return inMinute & (seconds[Math.floor((local - midnight) / SECOND) % 60] ?? 0) ? SECOND : 0;
  }

  return {
    skipForwards(local) {
      const midnight = Math.floor(local / DAY) * DAY;
      const around = datesAround(midnight);
      if (around) return around.end;
      const unit = excludedUnit(local, midnight);
      return unit === 0 ? local : Math.floor(local / unit) * unit + unit;
    },
    skipBackwards(local) {
      const midnight = Math.floor(local / DAY) * DAY;
      const around = datesAround(midnight);
      if (around) return around.start - 1;
      const unit = excludedUnit(local, midnight);
      return unit === 0 ? local : Math.floor(local / unit) * unit - 1;
    },
    kindOfDay: (midnight) => (datesAround(midnight) ? WHOLE_DAY : patternsOn(midnight)),
    leftOnEveryDay() {
      const always = bits(({ day, month, weekday, year }) => [day, month, weekday, year].every(isEvery));
      return always === 0 ? undefined : timesLeft(always);
    },
  };

  /** The times of day that these patterns leave. */
  function timesLeft(set: number): readonly TimesOfDay[] | undefined {
    const left: { from: number; to: number }[] = [];
    let at = 0;
    while (at < DAY) {
      const inHour = set & (hours[Math.floor(at / HOUR)] ?? 0);
      const inMinute = inHour & (minutes[Math.floor(at / MINUTE) % 60] ?? 0);
      const inSecond = inMinute & (seconds[Math.floor(at / SECOND) % 60] ?? 0);
      // a unit in which all times are left, or none
      const unit =
        inHour === 0 || (at % HOUR === 0 && isFullHour(inHour))
          ? HOUR
          : inMinute === 0 || (at % MINUTE === 0 && isFullMinute(inMinute))
            ? MINUTE
            : SECOND;
      const end = Math.floor(at / unit) * unit + unit;
      const last = left.at(-1);
      if (inSecond === 0) {
        if (last && last.to === at - 1) last.to = end - 1;
        else if (left.length === MAX_RANGES) return undefined;
        else left.push({ from: at, to: end - 1 });
      }
      at = end;
    }
    return left;
  }
}

const range = (length: number): number[] => Array.from({ length }, (_, n) => n);

/** At most 512 answers are kept, one for each set of patterns. */
function memoized(answer: (patterns: number) => boolean): (patterns: number) => boolean {
  const known = new Map<number, boolean>();
  return (patterns) => {
    const result = known.get(patterns) ?? answer(patterns);
    known.set(patterns, result);
    return result;
  };
}

/** The patterns whose month, day and weekday match a day, as bits. */
function patternsByDay(patterns: readonly Cron[]): (midnight: number) => number {
  const parsed = patterns.map((pattern, n) => ({
    bit: 1 << n,
    months: new Set(valuesOf(FIELDS.month, pattern.month)),
    years: isEvery(pattern.year) ? undefined : new Set(valuesOf(FIELDS.year, pattern.year)),
    daysIn: dayMatcher(pattern),
  }));
  // A search asks for the same day several times, and then for the days after it.
  let known = { midnight: Number.NaN, bits: 0 };
  const bitsOn = (midnight: number): number => {
    const date = new Date(midnight);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    let bits = 0;
    for (const { bit, months, years, daysIn } of parsed) {
      if (months.has(month) && (!years || years.has(year)) && daysIn(year, month) & (1 << day)) bits |= bit;
    }
    return bits;
  };
  return (midnight) => {
    if (known.midnight !== midnight) known = { midnight, bits: parsed.length === 0 ? 0 : bitsOn(midnight) };
    return known.bits;
  };
}
