// The schedule after a change of the tab: the same times in another form where that is possible.
import { calendarToCron } from '../../../../src/domain/schedule/calendar.ts';
import type { Calendar } from '../../../../src/domain/schedule/calendar-schema.ts';
import { HOUR } from '../../../../src/domain/schedule/duration.ts';
import { isoIn, isoUtc } from '../../../../src/domain/schedule/instant.ts';
import { normalizeSchedule } from '../../../../src/domain/schedule/normalize.ts';
import { nextOccurrence, occurrencesAfter } from '../../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../../src/domain/schedule/schedule-schema.ts';
import { isSameValue } from '../../../../src/domain/value-changes.ts';
import { checkDraft } from './check-draft.ts';
import { durationText, msOf } from './duration-parts.ts';
import { calendarOfCron, cronOfCalendar, dstFor, tryParseCron } from './pattern-text.ts';
import { fieldsFor, type ScheduleDraft, type ScheduleTab, tabOf } from './schedule-draft.ts';

/** `same`: the times are the same. `similar`: they differ as `note` says. `none`: the other form cannot have them. */
export interface Switched {
  readonly schedule: ScheduleDraft | undefined;
  readonly times: 'same' | 'similar' | 'none';
  readonly note?: string;
}

/** A change of the tab: `to` was made from `from`. */
interface Step {
  readonly from: ScheduleDraft | undefined;
  readonly to: ScheduleDraft | undefined;
}

/** The changes of the tab so far. A change back restores what was there, if nothing was edited since. */
export type Steps = readonly Step[];

export function switchTab(
  current: ScheduleDraft | undefined,
  to: ScheduleTab,
  { now, zone, steps }: { now: number; zone: string; steps: Steps },
): Switched {
  const step = steps.findLast(({ from, to: made }) => tabOf(from) === to && isSameValue(made, current));
  if (step) return { schedule: step.from, times: 'same' };
  if (to === 'now') return { schedule: undefined, times: 'none' };
  const converted = current && convert(current, to, now);
  if (converted) return converted;
  // An earlier input in that tab is better than an example.
  const earlier = steps.findLast(({ from }) => tabOf(from) === to)?.from;
  const schedule = earlier ?? example(to, current?.timezone ?? zone, now);
  return { schedule, times: 'none', ...(current && storedOf(current, now) && noteOf(current, to)) };
}

const NAMES: Record<ScheduleTab, string> = {
  now: 'A job without a schedule',
  once: 'A single time',
  every: 'A fixed rate',
  cron: 'A cron pattern',
  calendar: 'A calendar',
};

const noteOf = (current: ScheduleDraft, to: ScheduleTab): Pick<Switched, 'note'> =>
  tabOf(current) === 'once'
    ? {}
    : { note: `${NAMES[to]} cannot express the previous schedule. This is another one.` };

export function example(tab: Exclude<ScheduleTab, 'now'>, timezone: string, now: number): ScheduleDraft {
  if (tab === 'once') return { at: localText(timezone, (Math.floor(now / HOUR) + 2) * HOUR), timezone };
  if (tab === 'every') return { every: 'PT15M' };
  if (tab === 'cron') return { cron: '0 9 * * MON-FRI', timezone };
  const daysOfWeek = ['MON', 'TUE', 'WED', 'THU', 'FRI'];
  return { calendar: { hour: [9], minute: [0], daysOfWeek }, timezone };
}

/** The local time without its offset. */
export const localText = (zone: string, instant: number): string => isoIn(zone, instant).slice(0, 19);

/** Undefined if the schedule is not valid, or the other form cannot have its times. */
function convert(current: ScheduleDraft, to: Exclude<ScheduleTab, 'now'>, now: number): Switched | undefined {
  const stored = storedOf(current, now);
  if (stored === undefined) return undefined;
  if (to === 'once') return toOnce(stored, now);
  if (to === 'every') return toEvery(current, stored, now);
  if ('at' in stored) return fromOnce(stored.at, current.timezone ?? 'UTC', to);
  if ('every' in stored) return toCronFromRate(current, stored, to, now);
  return to === 'cron' ? toCron(current, stored) : toCalendar(current, stored);
}

/** Undefined if the schedule is not valid. */
export function storedOf(draft: ScheduleDraft, now: number): Schedule | undefined {
  const checked = checkDraft(draft);
  if ('errors' in checked) return undefined;
  try {
    return normalizeSchedule(checked.schedule, now);
  } catch {
    return undefined;
  }
}

function toOnce(schedule: Schedule, now: number): Switched | undefined {
  const next = nextOccurrence(schedule, now);
  if (next === undefined) return undefined;
  const timezone = schedule.timezone ?? 'UTC';
  return {
    schedule: { at: localText(timezone, next), timezone },
    times: 'similar',
    note: 'This is the next time of the previous schedule.',
  };
}

/** The number of intervals that are compared. */
const MAX_COMPARED = 10;

/** A pattern with equal intervals becomes a rate that begins at its next time. */
function toEvery(current: ScheduleDraft, schedule: Schedule, now: number): Switched | undefined {
  const times: number[] = [];
  for (const due of occurrencesAfter(schedule, now)) if (times.push(due) > MAX_COMPARED) break;
  const [first, second] = times;
  if (first === undefined || second === undefined || times.length <= MAX_COMPARED) return undefined;
  const interval = second - first;
  if (!times.every((due, index) => due === first + index * interval)) return undefined;
  return {
    schedule: fieldsFor('every', {
      ...current,
      every: durationText(interval),
      startAt: current.startAt ?? isoUtc(first).replace('.000Z', 'Z'),
    }),
    times: 'similar',
    note: 'A fixed rate counts from its start. It does not follow clock changes.',
  };
}

function fromOnce(at: string, timezone: string, to: 'cron' | 'calendar'): Switched {
  const local = localText(timezone, Date.parse(at));
  const [hour, minute] = [Number(local.slice(11, 13)), Number(local.slice(14, 16))];
  return {
    schedule:
      to === 'cron'
        ? { cron: `${minute} ${hour} * * *`, timezone }
        : { calendar: { hour: [hour], minute: [minute] }, timezone },
    times: 'similar',
    note: 'This runs at the same time every day.',
  };
}

function toCronFromRate(
  current: ScheduleDraft,
  schedule: Extract<Schedule, { every: string }>,
  to: 'cron' | 'calendar',
  now: number,
): Switched | undefined {
  const timezone = schedule.timezone ?? 'UTC';
  const first = current.startAt === undefined ? 0 : nextOccurrence(schedule, now);
  const cron = first === undefined ? undefined : cronOfRate(schedule.every, localText(timezone, first));
  if (cron === undefined) return undefined;
  const note = 'A pattern has the times of the clock. A fixed rate counts from its start.';
  const draft = fieldsFor('cron', { ...current, cron, timezone, startAt: undefined });
  if (to === 'cron') return { schedule: withoutUndefined(draft), times: 'similar', note };
  const stored = storedOf(draft, now);
  const calendar = stored && 'cron' in stored ? toCalendar(draft, stored) : undefined;
  return calendar && { ...calendar, times: 'similar', note };
}

/** A pattern at the same distance, if an hour or a day is a multiple of the rate. `first` is the local time of one run. */
function cronOfRate(every: string, first: string): string | undefined {
  const ms = msOf(every) ?? 0;
  const [hour, minute, second] = [11, 14, 17].map((from) => Number(first.slice(from, from + 2))) as [
    number,
    number,
    number,
  ];
  const each = (size: number, at: number): string => {
    if (size === 1) return '*';
    return at % size === 0 ? `*/${size}` : `${at % size}/${size}`;
  };
  const divides = (unit: number, count: number): boolean => ms % unit === 0 && count % (ms / unit) === 0;
  if (divides(1000, 60) && ms < 60_000) return `${each(ms / 1000, second)} * * * * *`;
  if (divides(60_000, 60) && ms < HOUR) return `${each(ms / 60_000, minute)} * * * *`;
  if (divides(HOUR, 24) && ms < 24 * HOUR) return `${minute} ${each(ms / HOUR, hour)} * * *`;
  if (ms === 24 * HOUR) return `${minute} ${hour} * * *`;
  return ms === 7 * 24 * HOUR ? `${minute} ${hour} * * ${weekdayOf(first)}` : undefined;
}

const weekdayOf = (local: string): string =>
  ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'][new Date(`${local}Z`).getUTCDay()] ?? '*';

function toCalendar(current: ScheduleDraft, stored: Schedule): Switched | undefined {
  if (!('cron' in stored)) return undefined;
  const pattern = tryParseCron(stored.cron);
  const calendar = pattern && calendarOfCron(pattern);
  if (!pattern || !calendar) return undefined;
  const dst = dstFor(pattern, calendarToCron(calendar), stored.dst);
  const schedule = fieldsFor('calendar', {
    ...current,
    calendar,
    timezone: stored.timezone,
    ...(dst && { dst }),
  });
  return { schedule, times: 'same' };
}

function toCron(current: ScheduleDraft, stored: Schedule): Switched | undefined {
  if (!('calendar' in stored)) return undefined;
  const cron = cronOfCalendar(stored.calendar as Calendar);
  const pattern = cron === undefined ? undefined : tryParseCron(cron);
  if (cron === undefined || !pattern) return undefined;
  const dst = dstFor(calendarToCron(stored.calendar), pattern, stored.dst);
  const schedule = fieldsFor('cron', { ...current, cron, timezone: stored.timezone, ...(dst && { dst }) });
  return { schedule, times: 'same' };
}

const withoutUndefined = (draft: ScheduleDraft): ScheduleDraft =>
  Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined));
