// The offsets of timezones as periods of constant offset. Their limits, the clock changes, are searched with Intl.
import { LRUCache } from 'lru-cache';
import { DAY } from './duration.ts';

/** From `start` (inclusive) to `end` (exclusive) the local time is instant + `offset`. */
export interface OffsetPeriod {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  /** The offset before `start`. It is larger than `offset` if clocks went back at `start`. */
  readonly before: number;
  /** Local times of this period before this one are repeated: they occurred before clocks went back. */
  readonly repeatedUntil: number;
}

const formats = new LRUCache<string, Intl.DateTimeFormat>({
  max: 700,
  memoMethod: (timeZone) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
});
const years = new LRUCache<string, readonly OffsetPeriod[], { zone: string; year: number }>({
  max: 4000,
  memoMethod: (_key, _stale, { context: { zone, year } }) => findOffsetPeriods(zone, year),
});

const formatOf = (zone: string): Intl.DateTimeFormat => formats.memo(zone);

export function isTimezone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** The offset of UTC, +05:30, +0530 or +05 (up to 15:59), in milliseconds. Undefined for all other zones. */
export function fixedOffset(zone: string): number | undefined {
  if (zone === 'UTC') return 0;
  const [, sign, hours, minutes] = /^([+-])(0\d|1[0-5]):?([0-5]\d)?$/.exec(zone) ?? [];
  if (sign === undefined) return undefined;
  const size = (Number(hours) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' && size > 0 ? -size : size;
}

/** Local time minus UTC in a zone without a fixed offset, in milliseconds. */
type ZoneRules = (zone: string, instant: number) => number;

let rules: ZoneRules = intlOffset;
let generation = 0;

/** Changes with the rules. What was found by other rules does not count. */
export const rulesGeneration = (): number => generation;

/** Replaces Intl's rules, for tests of changed rules. Undefined restores them. */
export function useZoneRules(other: ZoneRules | undefined): void {
  rules = other ?? intlOffset;
  generation++;
  years.clear();
}

/** Local time minus UTC, in milliseconds. */
export const offsetAt = (zone: string, instant: number): number => fixedOffset(zone) ?? rules(zone, instant);

export function intlOffset(zone: string, instant: number): number {
  const second = Math.floor(instant / 1000) * 1000;
  // "12/31/2026, 23:59:59". To split the text is three times faster than formatToParts.
  const [month, day, year, hour, minute, sec] = formatOf(zone).format(second).split(/\D+/).map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, sec) - second;
}

/** The period that contains `instant`. Periods also end at the end of a year (UTC), without a clock change. */
export function offsetPeriodAt(zone: string, instant: number): OffsetPeriod {
  const found = offsetPeriodsOf(zone, new Date(instant).getUTCFullYear()).findLast((s) => s.start <= instant);
  if (!found) throw new Error(`no offset of ${zone} at ${instant}`);
  return found;
}

/** Years after this one have regular rules, in which an offset lasts for weeks. So days are skipped in the search for changes. */
const REGULAR_AFTER = 2040;
const REGULAR_STEP = 8 * DAY;
/** The steps of a search (`SearchBudget`) that the periods of a year cost, while they are not known. */
const STEPS_PER_YEAR = 2_000;
const STEPS_PER_REGULAR_YEAR = 500;

/** The steps of a search that `offsetPeriodAt` is worth. */
export function stepsOfPeriodAt(zone: string, instant: number): number {
  const year = new Date(instant).getUTCFullYear();
  if (fixedOffset(zone) !== undefined || years.has(`${year} ${zone}`)) return 1;
  return year > REGULAR_AFTER ? STEPS_PER_REGULAR_YEAR : STEPS_PER_YEAR;
}

/** The offset periods that begin with a clock change between `from` and `to`. */
export function* clockChangesFrom(zone: string, from: number, to: number): Generator<OffsetPeriod, void> {
  for (let period = offsetPeriodAt(zone, from); period.end <= to; ) {
    period = offsetPeriodAt(zone, period.end);
    if (period.offset !== period.before) yield period;
  }
}

const offsetPeriodsOf = (zone: string, year: number): readonly OffsetPeriod[] =>
  years.memo(`${year} ${zone}`, { context: { zone, year } });

function findOffsetPeriods(zone: string, year: number): readonly OffsetPeriod[] {
  const from = Date.UTC(year, 0, 1);
  const to = Date.UTC(year + 1, 0, 1);
  const periods: OffsetPeriod[] = [];
  let repeatedUntil = Number.NEGATIVE_INFINITY;
  let start = from;
  let offset = offsetAt(zone, from);
  let before = offset;
  // The search begins two days early, because a repeated hour may span New Year.
  for (const change of clockChangesBetween(zone, from - 2 * DAY, to)) {
    if (change.at > from) {
      periods.push({ start, end: change.at, offset: change.from, before, repeatedUntil });
      start = change.at;
    }
    offset = change.to;
    before = change.at < from ? change.to : change.from;
    if (change.to < change.from) repeatedUntil = change.at + change.from;
  }
  periods.push({ start, end: to, offset, before, repeatedUntil });
  return periods;
}

interface ClockChange {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** The clock changes after `from` and before `to`, ascending. */
export function clockChangesBetween(zone: string, from: number, to: number): ClockChange[] {
  const changes: ClockChange[] = [];
  if (fixedOffset(zone) !== undefined) return changes;
  let offset = offsetAt(zone, from);
  const step = new Date(from).getUTCFullYear() > REGULAR_AFTER ? REGULAR_STEP : DAY;
  for (let day = from; day < to; day += step) {
    const next = Math.min(day + step, to - 1);
    const then = offsetAt(zone, next);
    if (then !== offset)
      changes.push({ at: firstWithOffset(zone, day, next, offset), from: offset, to: then });
    offset = then;
  }
  return changes;
}

/** Bisects (low, high] for the first second whose offset differs from `offset`. */
function firstWithOffset(zone: string, low: number, high: number, offset: number): number {
  let same = Math.floor(low / 1000);
  let changed = Math.ceil(high / 1000);
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetAt(zone, middle * 1000) === offset) same = middle;
    else changed = middle;
  }
  return changed * 1000;
}

/** The instants of a local time, which is a number as if the zone were UTC. None in a gap, two if it is repeated. */
export function instantsOf(zone: string, local: number): number[] {
  const offsets = new Set([offsetAt(zone, local - DAY), offsetAt(zone, local), offsetAt(zone, local + DAY)]);
  return [...offsets]
    .map((offset) => local - offset)
    .filter((instant) => instant + offsetAt(zone, instant) === local)
    .sort((a, b) => a - b);
}
