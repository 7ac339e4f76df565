// Warnings about valid schedules that may surprise: they never fire, their days mean something else, or clocks skip or repeat
// a time.
import { type Cron, isEitherDay, quartzWeekdays } from './cron.ts';
import { durationInWords, joined, weekdayName } from './describe-fields.ts';
import { DAY, durationMs } from './duration.ts';
import { exceptWarnings } from './except-warnings.ts';
import { exclusionsOf } from './exclusions.ts';
import { instantMs, isoIn } from './instant.ts';
import { nextOccurrence, withoutExcept } from './occurrences.ts';
import { patternOf } from './pattern.ts';
import type { CalendarSchedule, CronSchedule, FixedRate, Schedule } from './schedule-schema.ts';
import { SearchBudget, WITHOUT_SLICES } from './search-budget.ts';
import { type WallClock, wallClockOf } from './wall-clock.ts';
import { SCHEDULE_WARNINGS, type ScheduleWarning } from './warning-kinds.ts';
import { type ClockChangeRule, clockChangeRule, runsAfterGap } from './zoned.ts';
import { clockChangesFrom, type OffsetPeriod } from './zones.ts';

export { SCHEDULE_WARNINGS, type ScheduleWarning };

const YEAR = 366 * DAY;
const MAX_TIMES_LISTED = 3;

/** Throws SearchEnded if the budget does not suffice. */
export function scheduleWarnings(
  schedule: Schedule,
  now: number,
  searches = new SearchBudget(WITHOUT_SLICES),
): ScheduleWarning[] {
  if (nextOccurrence(schedule, now - 1, searches) === undefined) return [neverFires(schedule, now, searches)];
  if ('at' in schedule) return [];
  if ('every' in schedule)
    return [...driftWarnings(schedule, now), ...exceptWarnings(schedule, now, searches)];
  const pattern = patternOf(schedule);
  return [
    ...dayWarnings(pattern),
    ...('cron' in schedule ? quartzWarnings(schedule.cron) : []),
    ...clockChangeWarnings(schedule, pattern, now),
    ...exceptWarnings(schedule, now, searches),
  ];
}

/** A rate of whole days looks like a fixed local time, but clock changes shift it. */
function driftWarnings({ every, timezone }: FixedRate, now: number): ScheduleWarning[] {
  const period = durationMs(every, 'schedule.every');
  const clocksStay = timezone !== undefined && clockChangesFrom(timezone, now, now + YEAR).next().done;
  if (period % DAY !== 0 || clocksStay) return [];
  const where = timezone === undefined ? 'where clocks change' : `when clocks in ${timezone} change`;
  const message = `The job runs every ${durationInWords(period)}, so its local time shifts ${where}. For the same local time on each day, use cron or calendar with a timezone`;
  return [{ kind: 'drift', message }];
}

function dayWarnings(pattern: Cron): ScheduleWarning[] {
  if (!isEitherDay(pattern)) return [];
  const message =
    'The day of month and the day of week are both restricted, so the job runs on days that match either one. For days that match both, use a calendar schedule';
  return [{ kind: 'eitherDay', message }];
}

function quartzWarnings(cron: string): ScheduleWarning[] {
  const weekdays = quartzWeekdays(cron);
  if (weekdays.length === 0) return [];
  const here = joined(weekdays.map(weekdayName));
  const there = joined(weekdays.map((weekday) => (weekday === 0 ? 'no day' : weekdayName(weekday - 1))));
  const message =
    weekdays.length === 1
      ? `Weekday ${weekdays[0]} is ${here} here, and ${there} in Quartz: use names`
      : `Weekdays ${joined(weekdays.map(String))} are ${here} here, and ${there} in Quartz: use names`;
  return [{ kind: 'quartzWeekday', message }];
}

function neverFires(schedule: Schedule, now: number, searches: SearchBudget): ScheduleWarning {
  if ('at' in schedule)
    return { kind: 'neverFires', message: `The schedule never fires: ${schedule.at} is in the past` };
  const window = schedule.endAt === undefined ? '' : ` until ${schedule.endAt}`;
  const isExcluded = nextOccurrence(withoutExcept(schedule), now - 1, searches) !== undefined;
  const reason = isExcluded ? 'the exclusions remove every time' : 'no time';
  return {
    kind: 'neverFires',
    message: `The schedule never fires: ${reason} from now on${window}${isExcluded ? '' : ' matches'}`,
  };
}

function clockChangeWarnings(
  schedule: CronSchedule | CalendarSchedule,
  pattern: Cron,
  now: number,
): ScheduleWarning[] {
  const clock = wallClockOf(pattern);
  const rule = clockChangeRule(pattern, schedule.dst);
  const isExcluded = excludedInstants(schedule);
  const from = Math.max(now, schedule.startAt === undefined ? now : instantMs(schedule.startAt));
  const to = Math.min(now + YEAR, schedule.endAt === undefined ? now + YEAR : instantMs(schedule.endAt));
  const warnings: ScheduleWarning[] = [];
  for (const period of clockChangesFrom(schedule.timezone, from, to)) {
    const warning = clockChangeWarning(clock, rule, period, schedule.timezone, isExcluded);
    if (warning) warnings.push(warning);
  }
  return warnings;
}

/** Whether `except` removes an instant. In a gap, the offset before it counts. */
function excludedInstants({
  except = [],
}: CronSchedule | CalendarSchedule): (instant: number, offset: number) => boolean {
  const { instants, local } = exclusionsOf(except);
  return (instant, offset) =>
    instants.some(({ from, to }) => from <= instant && instant <= to) ||
    (local !== undefined && local.skipForwards(instant + offset) !== instant + offset);
}

function clockChangeWarning(
  clock: WallClock,
  rule: ClockChangeRule,
  period: OffsetPeriod,
  zone: string,
  isExcluded: (instant: number, offset: number) => boolean,
): ScheduleWarning | undefined {
  const shift = period.offset - period.before;
  const followsClock = shift > 0 ? rule.gap === 'skip' : rule.overlap === 'twice';
  if (followsClock && clock.isUnaffectedBy(shift)) return undefined;
  const [from, to] = [period.start + period.before, period.start + period.offset];
  const isMoved = shift > 0 && runsAfterGap(clock, rule, period);
  /** Whether the run at this local time is excluded anyway. */
  const isLeftOut = (local: number): boolean =>
    isMoved
      ? isExcluded(period.start, period.offset)
      : isExcluded(local - period.before, period.before) ||
        (rule.overlap === 'twice' && shift < 0 && isExcluded(local - period.offset, period.offset));
  const times = matchesBetween(clock, Math.min(from, to), Math.max(from, to), isLeftOut);
  if (times === undefined) return undefined;
  const at = isoIn(zone, period.start);
  if (shift > 0) {
    const outcome = isMoved ? `the job runs at ${at} instead` : 'the job does not run then';
    return { kind: 'dstGap', at, message: `Clocks in ${zone} skip ${times}: ${outcome}` };
  }
  const outcome = rule.overlap === 'twice' ? 'the job runs both times' : 'the job runs the first time only';
  return { kind: 'dstOverlap', at, message: `Clocks in ${zone} show ${times} twice: ${outcome}` };
}

/** The matching local times in words: `2027-03-28 02:30`, `2027-03-28 02:00, 02:15, 02:30 and more`. Undefined if none. */
function matchesBetween(
  clock: WallClock,
  from: number,
  to: number,
  isLeftOut: (local: number) => boolean,
): string | undefined {
  const times: string[] = [];
  const next = (at: number): number | undefined => {
    let local = clock.next(at);
    while (local !== undefined && local < to && isLeftOut(local)) local = clock.next(local + 1000);
    return local;
  };
  let local = next(from);
  const first = local;
  while (local !== undefined && local < to && times.length < MAX_TIMES_LISTED) {
    times.push(new Date(local).toISOString().slice(11, 19).replace(/:00$/, ''));
    local = next(local + 1000);
  }
  if (first === undefined || times.length === 0) return undefined;
  if (local !== undefined && local < to) times.push('more');
  return `${new Date(first).toISOString().slice(0, 10)} ${joined(times)}`;
}
