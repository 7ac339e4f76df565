// Why a schedule has no occurrence at a time that looks like one: clocks skip it, `except` removes it, or it is outside of
// startAt and endAt.
import { exclusionInWords } from './describe-except.ts';
import type { Exclusion } from './exclusions.ts';
import { instantMs } from './instant.ts';
import { occurrenceNear } from './occurrence-near.ts';
import { hasOccurrenceAt, withoutExcept } from './occurrences.ts';
import { patternOf } from './pattern.ts';
import type { CalendarSchedule, CronSchedule, OneTime, Schedule } from './schedule-schema.ts';
import { wallClockOf } from './wall-clock.ts';
import { clockChangeRule, runsAfterGap } from './zoned.ts';
import { offsetPeriodAt } from './zones.ts';

export type Absence =
  | { readonly kind: 'beforeStart'; readonly startAt: number }
  | { readonly kind: 'afterEnd'; readonly endAt: number }
  | {
      readonly kind: 'dstGap';
      /** The local time that does not exist: `2026-03-29 02:30`. */
      readonly local: string;
      readonly timezone: string;
      /** The instant at which clocks went forward. */
      readonly changedAt: number;
      /** Whether the schedule runs at `changedAt` instead. */
      readonly runsAfter: boolean;
    }
  /** `due` is the time that the exclusion removes. */
  | { readonly kind: 'excluded'; readonly due: number; readonly exclusion: string };

/**
 * Undefined if the schedule simply has another time. A skipped local time has no instant of its own. An instant after the
 * clock change, within the length of the gap, stands for it.
 */
export function absenceAt(
  schedule: Schedule,
  jobId: string,
  at: number,
  toleranceMs: number,
): Absence | undefined {
  if ('at' in schedule) return undefined;
  const { startAt, endAt } = schedule;
  if (startAt !== undefined && at < instantMs(startAt))
    return { kind: 'beforeStart', startAt: instantMs(startAt) };
  if (endAt !== undefined && at > instantMs(endAt)) return { kind: 'afterEnd', endAt: instantMs(endAt) };
  const gap = 'every' in schedule ? undefined : gapAt(schedule, at, toleranceMs);
  return gap ?? exclusionAt(schedule, jobId, at, toleranceMs);
}

function gapAt(
  schedule: CronSchedule | CalendarSchedule,
  at: number,
  toleranceMs: number,
): Absence | undefined {
  const { timezone } = schedule;
  const period = offsetPeriodAt(timezone, at);
  const { start, offset, before } = period;
  if (at - start >= offset - before) return undefined;
  const pattern = patternOf(schedule);
  const clock = wallClockOf(pattern);
  const local = at + before;
  const skipped = clock.next(local) === local ? local : clock.next(local - toleranceMs);
  const isInGap = skipped !== undefined && skipped >= start + before && skipped < start + offset;
  if (!isInGap || skipped > local + toleranceMs) return undefined;
  return {
    kind: 'dstGap',
    local: new Date(skipped).toISOString().slice(0, 19).replace('T', ' ').replace(/:00$/, ''),
    timezone,
    changedAt: start,
    runsAfter: runsAfterGap(clock, clockChangeRule(pattern, schedule.dst), period),
  };
}

function exclusionAt(
  schedule: Exclude<Schedule, OneTime>,
  jobId: string,
  at: number,
  toleranceMs: number,
): Absence | undefined {
  const { except = [] } = schedule;
  const all = withoutExcept(schedule);
  const due = except.length > 0 ? occurrenceNear(all, jobId, at, toleranceMs)?.due : undefined;
  if (due === undefined) return undefined;
  const removes = (one: Exclusion): boolean => !hasOccurrenceAt({ ...all, except: [one] } as Schedule, due);
  const exclusion = except.find(removes);
  return exclusion === undefined
    ? undefined
    : { kind: 'excluded', due, exclusion: exclusionInWords(exclusion) };
}
