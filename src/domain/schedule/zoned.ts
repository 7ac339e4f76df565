// The instants at which a wall-clock pattern is due in a timezone, also where clocks are put forward or back.
import type { Cron } from './cron.ts';
import { DAY } from './duration.ts';
import { END_OF_TIME, START_OF_TIME } from './instant.ts';
import type { Dst } from './schedule-schema.ts';
import type { WallClock } from './wall-clock.ts';
import { type Stretch, stretchAt } from './zones.ts';

export interface JumpRule {
  /**
   * For a local time that does not exist: `skip` it, or run at the first instant after the gap. `afterUnlessWholeDate`
   * does so unless the gap leaves out the whole date of that local time, as Apia left out 30 December 2011.
   */
  readonly gap: 'skip' | 'after' | 'afterUnlessWholeDate';
  /** For a local time that happens twice: run at the first only, or at both. */
  readonly overlap: 'once' | 'twice';
}

/** What the schedule chooses, else the rule of its pattern (docs/decisions/0021, 0023). */
export function jumpRule(cron: Cron, dst: Dst | undefined): JumpRule {
  const { gap, overlap } = ruleOf(cron);
  return { gap: dst?.gap ?? gap, overlap: dst?.overlap ?? overlap };
}

/** Debian's cron runs fixed times once each; a pattern with `*` in seconds, minutes or hours follows the clocks. */
function ruleOf({ second, minute, hour, clockChanges }: Cron): JumpRule {
  if (clockChanges === 'eventBridge') return { gap: 'skip', overlap: 'once' };
  const fixedTimes = [second, minute, hour].flat().every((term) => term.kind !== 'every');
  return fixedTimes ? { gap: 'afterUnlessWholeDate', overlap: 'once' } : { gap: 'skip', overlap: 'twice' };
}

/** The first due instant later than `after`. */
export function nextDue(clock: WallClock, zone: string, rule: JumpRule, after: number): number | undefined {
  let at = Math.max(after + 1, START_OF_TIME);
  while (at < END_OF_TIME) {
    const stretch = stretchAt(zone, at);
    const whole = at === stretch.start;
    if (whole && runsAfterGap(clock, rule, stretch)) return stretch.start;
    const local = clock.next(Math.max(at + stretch.offset, firstNew(rule, stretch)));
    if (local !== undefined && local < stretch.end + stretch.offset) return local - stretch.offset;
    // Only once a whole stretch was searched is it sure that the next one does not repeat a match that lies behind.
    if (!whole) at = stretch.end;
    else if (local === undefined) return undefined;
    else at = Math.max(stretch.end, local - 2 * DAY);
  }
  return undefined;
}

/** The last due instant at or before `until` and later than `after`. */
export function latestDue(
  clock: WallClock,
  zone: string,
  rule: JumpRule,
  after: number,
  until: number,
): number | undefined {
  let at = Math.min(until, END_OF_TIME - 1);
  while (at > after) {
    const stretch = stretchAt(zone, at);
    const local = clock.previous(at + stretch.offset);
    const lowest = Math.max(stretch.start + stretch.offset, firstNew(rule, stretch));
    if (local !== undefined && local >= lowest) return later(local - stretch.offset, after);
    if (runsAfterGap(clock, rule, stretch)) return later(stretch.start, after);
    if (at !== stretch.end - 1) at = stretch.start - 1;
    else if (local === undefined) return undefined;
    else at = Math.min(stretch.start - 1, local + 2 * DAY);
  }
  return undefined;
}

const later = (due: number, after: number): number | undefined => (due > after ? due : undefined);

/** Whether a local time inside the gap before this stretch matches, and the rule moves it to the stretch's start. */
export function runsAfterGap(clock: WallClock, rule: JumpRule, stretch: Stretch): boolean {
  if (rule.gap === 'skip' || stretch.offset <= stretch.before) return false;
  const gapStart = stretch.start + stretch.before;
  const gapEnd = stretch.start + stretch.offset;
  let match = clock.next(gapStart);
  while (match !== undefined && match < gapEnd) {
    const midnight = Math.floor(match / DAY) * DAY;
    const leftOut = midnight >= gapStart && midnight + DAY <= gapEnd;
    if (rule.gap === 'after' || !leftOut) return true;
    match = clock.next(midnight + DAY);
  }
  return false;
}

/** The first local time of a stretch that counts: with `once`, those that were shown before do not. */
const firstNew = (rule: JumpRule, stretch: Stretch): number =>
  rule.overlap === 'once' ? stretch.repeatedUntil : Number.NEGATIVE_INFINITY;
