// The instants at which a pattern of local times is due in a timezone, also when clocks change.
import type { Cron } from './cron.ts';
import { DAY } from './duration.ts';
import type { LocalExclusions } from './exclusions.ts';
import { START_OF_TIME } from './instant.ts';
import type { Dst } from './schedule-schema.ts';
import type { WallClock } from './wall-clock.ts';
import { type DueTimes, type LimitedTimes, localTimesWithout } from './without-excluded.ts';
import { type OffsetPeriod, offsetPeriodAt } from './zones.ts';

export interface ClockChangeRule {
  /**
   * The rule for a local time that does not exist: `skip` it, or run at the first instant `after` the gap.
   * `afterUnlessWholeDate` skips it if the gap contains its whole date, as in Apia on 30 December 2011.
   */
  readonly gap: 'skip' | 'after' | 'afterUnlessWholeDate';
  /** The rule for a local time that occurs twice: run at the first only, or at both. */
  readonly overlap: 'once' | 'twice';
}

/** The schedule's `dst`, or else the default rule of its pattern (docs/decisions/0021, 0023). */
export function clockChangeRule(cron: Cron, dst: Dst | undefined): ClockChangeRule {
  const { gap, overlap } = ruleOf(cron);
  return { gap: dst?.gap ?? gap, overlap: dst?.overlap ?? overlap };
}

/** As in Debian's cron, fixed times run once each. A pattern with `*` in seconds, minutes or hours follows the clocks. */
function ruleOf({ second, minute, hour, clockChanges }: Cron): ClockChangeRule {
  if (clockChanges === 'eventBridge') return { gap: 'skip', overlap: 'once' };
  const fixedTimes = [second, minute, hour].flat().every((term) => term.kind !== 'every');
  return fixedTimes ? { gap: 'afterUnlessWholeDate', overlap: 'once' } : { gap: 'skip', overlap: 'twice' };
}

interface ZonedPattern {
  readonly clock: WallClock;
  readonly zone: string;
  readonly rule: ClockChangeRule;
  /** The local times of `clock` that are not excluded. */
  readonly left: LimitedTimes;
  readonly isExcluded: (local: number) => boolean;
  /** The search ends here. */
  readonly end: number;
}

/** The instants at which the pattern is due. */
export function zonedDues(
  clock: WallClock,
  zone: string,
  rule: ClockChangeRule,
  end: number,
  excluded?: LocalExclusions,
): DueTimes {
  const pattern: ZonedPattern = {
    ...{ clock, zone, rule, end },
    left: excluded ? localTimesWithout(clock, excluded) : clock,
    isExcluded: (local) => excluded !== undefined && excluded.skipForwards(local) !== local,
  };
  return {
    next: (after) => nextDue(pattern, after),
    latest: (after, until) => latestDue(pattern, after, until),
  };
}

function nextDue(pattern: ZonedPattern, after: number): number | undefined {
  const { zone, rule, left, end } = pattern;
  let at = Math.max(after + 1, START_OF_TIME);
  while (at < end) {
    const period = offsetPeriodAt(zone, at);
    const whole = at === period.start;
    if (whole && startsWithRun(pattern, period)) return period.start;
    const from = Math.max(at + period.offset, firstCounted(rule, period));
    const local = left.next(from, (whole ? end + 2 * DAY : period.end) + period.offset);
    if (local !== undefined && local < period.end + period.offset) return local - period.offset;
    // A later period may repeat a match. Only after the search of a whole period it is safe to skip ahead.
    if (!whole) at = period.end;
    else if (local === undefined) return undefined;
    else at = Math.max(period.end, local - 2 * DAY);
  }
  return undefined;
}

function latestDue(pattern: ZonedPattern, after: number, until: number): number | undefined {
  const { zone, rule, left, end } = pattern;
  let at = Math.min(until, end - 1);
  while (at > after) {
    const period = offsetPeriodAt(zone, at);
    const whole = at === period.end - 1;
    const earliest = whole ? after - 2 * DAY : Math.max(after, period.start - 1);
    const local = left.previous(at + period.offset, earliest + period.offset);
    const lowest = Math.max(period.start + period.offset, firstCounted(rule, period));
    if (local !== undefined && local >= lowest) return later(local - period.offset, after);
    if (startsWithRun(pattern, period)) return later(period.start, after);
    if (!whole) at = period.start - 1;
    else if (local === undefined) return undefined;
    else at = Math.min(period.start - 1, local + 2 * DAY);
  }
  return undefined;
}

const later = (due: number, after: number): number | undefined => (due > after ? due : undefined);

const startsWithRun = ({ clock, rule, isExcluded }: ZonedPattern, period: OffsetPeriod): boolean =>
  runsAfterGap(clock, rule, period) && !isExcluded(period.start + period.offset);

/** True if a local time in the gap before this period matches and the rule moves it to the start of the period. */
export function runsAfterGap(clock: WallClock, rule: ClockChangeRule, period: OffsetPeriod): boolean {
  if (rule.gap === 'skip' || period.offset <= period.before) return false;
  const gapStart = period.start + period.before;
  const gapEnd = period.start + period.offset;
  let match = clock.next(gapStart);
  while (match !== undefined && match < gapEnd) {
    const midnight = Math.floor(match / DAY) * DAY;
    const isWholeDateSkipped = midnight >= gapStart && midnight + DAY <= gapEnd;
    if (rule.gap === 'after' || !isWholeDateSkipped) return true;
    match = clock.next(midnight + DAY);
  }
  return false;
}

/** The first local time of a period that counts. With `once`, repeated local times do not count. */
const firstCounted = (rule: ClockChangeRule, period: OffsetPeriod): number =>
  rule.overlap === 'once' ? period.repeatedUntil : Number.NEGATIVE_INFINITY;
