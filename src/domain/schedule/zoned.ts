// The instants at which a pattern of local times is due in a timezone, also when clocks change.
import type { Cron } from './cron.ts';
import { DAY } from './duration.ts';
import type { LocalExclusions } from './exclusions.ts';
import { START_OF_TIME } from './instant.ts';
import type { Dst } from './schedule-schema.ts';
import type { SearchSteps } from './search-budget.ts';
import type { WallClock } from './wall-clock.ts';
import { type DueTimes, type LimitedTimes, limitedTimes, localTimesWithout } from './without-excluded.ts';
import { type OffsetPeriod, offsetPeriodAt, stepsOfPeriodAt } from './zones.ts';

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
  /** The local times of `clock`. */
  readonly all: LimitedTimes;
  /** Those that are not excluded. */
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
  const all = limitedTimes(clock);
  const pattern: ZonedPattern = {
    ...{ clock, zone, rule, end, all },
    left: excluded ? localTimesWithout(clock, excluded) : all,
    isExcluded: (local) => excluded !== undefined && excluded.skipForwards(local) !== local,
  };
  return {
    next: (after, steps) => nextDue(pattern, after, steps),
    latest: (after, until, steps) => latestDue(pattern, after, until, steps),
  };
}

function nextDue(pattern: ZonedPattern, after: number, steps: SearchSteps): number | undefined {
  const { clock, zone, rule, left, end } = pattern;
  let at = Math.max(after + 1, START_OF_TIME);
  while (at < end) {
    steps.take(at - 1, stepsOfPeriodAt(zone, at));
    const period = offsetPeriodAt(zone, at);
    const whole = at === period.start;
    if (whole && startsWithRun(pattern, period)) return period.start;
    const from = Math.max(at + period.offset, firstCounted(rule, period));
    const localEnd = period.end + period.offset;
    // Beyond a gap a run may come from an excluded time, so the whole period is as far as the search can see.
    const seesAhead = whole && (left === pattern.all || rule.gap === 'skip');
    const searched = (local: number, count: number) =>
      steps.take(
        (local < localEnd ? Math.max(at, local - period.offset) : Math.max(period.end, local - 2 * DAY)) - 1,
        count,
      );
    const local = left.next(from, seesAhead ? end + 2 * DAY + period.offset : localEnd, searched);
    if (local !== undefined && local < localEnd) return local - period.offset;
    // A later period may repeat a match. Only after the search of a whole period it is safe to skip ahead.
    if (seesAhead && local === undefined) return undefined;
    const ahead = seesAhead ? local : clock.next(localEnd);
    if (!whole) at = period.end;
    else if (ahead === undefined) return undefined;
    else at = Math.max(period.end, ahead - 2 * DAY);
  }
  return undefined;
}

function latestDue(
  pattern: ZonedPattern,
  after: number,
  until: number,
  steps: SearchSteps,
): number | undefined {
  const { clock, zone, rule, left, end } = pattern;
  const counted = (_local: number, count: number) => steps.takeBackwards(count);
  let at = Math.min(until, end - 1);
  while (at > after) {
    steps.takeBackwards(stepsOfPeriodAt(zone, at));
    const period = offsetPeriodAt(zone, at);
    const whole = at === period.end - 1;
    const seesAhead = whole && (left === pattern.all || rule.gap === 'skip');
    const earliest = seesAhead ? after - 2 * DAY : Math.max(after, period.start - 1);
    const local = left.previous(at + period.offset, earliest + period.offset, counted);
    const lowest = Math.max(period.start + period.offset, firstCounted(rule, period));
    if (local !== undefined && local >= lowest) return later(local - period.offset, after);
    if (startsWithRun(pattern, period)) return later(period.start, after);
    const ahead = seesAhead ? local : clock.previous(period.start + period.offset - 1);
    if (!whole) at = period.start - 1;
    else if (ahead === undefined) return undefined;
    else at = Math.min(period.start - 1, ahead + 2 * DAY);
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
