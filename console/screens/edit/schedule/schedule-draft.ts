// The schedule in the form. It has the fields of a request. A value that is not valid stays as it was typed, so that the form
// shows it again and the server refuses it with its reason.
import type { Calendar } from '../../../../src/domain/schedule/calendar-schema.ts';
import type { Exclusion } from '../../../../src/domain/schedule/exclusions.ts';
import { COMBINES_WITH, KINDS, type Kind } from '../../../../src/domain/schedule/schedule-kinds.ts';
import type { Dst, Schedule } from '../../../../src/domain/schedule/schedule-schema.ts';
import { isRecord } from '../../../../src/domain/value-changes.ts';

/** A string is a text that is not a number. */
export type Numeric = number | string;

export type CalendarField = keyof Calendar;
export type CalendarDraft = Partial<Record<CalendarField, Numeric | readonly Numeric[]>>;

export interface ScheduleDraft {
  readonly at?: string;
  readonly in?: string;
  readonly cron?: string;
  readonly every?: string;
  readonly calendar?: CalendarDraft;
  readonly timezone?: string;
  readonly startAt?: string;
  readonly endAt?: string;
  readonly except?: readonly Exclusion[];
  readonly jitterSeconds?: Numeric;
  readonly dst?: Dst;
}

export const SCHEDULE_TABS = ['now', 'once', 'every', 'cron', 'calendar'] as const;
export type ScheduleTab = (typeof SCHEDULE_TABS)[number];

/** Undefined if the schedule has none of the kinds, as a job that runs now. */
export const kindOf = (schedule: ScheduleDraft | undefined): Kind | undefined =>
  KINDS.find((kind) => schedule?.[kind] !== undefined);

export function tabOf(schedule: ScheduleDraft | undefined): ScheduleTab {
  const kind = kindOf(schedule);
  if (kind === undefined) return 'now';
  return kind === 'at' || kind === 'in' ? 'once' : kind;
}

/** The fields that apply to a kind. The others are left out. */
export function fieldsFor(kind: Kind, schedule: ScheduleDraft): ScheduleDraft {
  const allowed = [kind, ...COMBINES_WITH[kind]];
  return Object.fromEntries(Object.entries(schedule).filter(([name]) => allowed.includes(name)));
}

/** The request that has the stored schedule. A resolved `in` is the time at which it ends. */
export function draftOfStored(schedule: Schedule): ScheduleDraft {
  if (!('at' in schedule)) return schedule;
  const { in: _, ...rest } = schedule;
  return rest;
}

/** Takes the fields of an unknown value that have the types of a draft. A link may have any value. */
export function readScheduleDraft(value: unknown): ScheduleDraft | undefined {
  if (!isRecord(value)) return undefined;
  const texts = Object.fromEntries(
    (['at', 'in', 'cron', 'every', 'timezone', 'startAt', 'endAt'] as const)
      .filter((name) => typeof value[name] === 'string')
      .map((name) => [name, value[name]]),
  );
  const { calendar, except, jitterSeconds, dst } = value;
  const draft: ScheduleDraft = {
    ...texts,
    ...(isRecord(calendar) && { calendar: calendarOf(calendar) }),
    ...(Array.isArray(except) && { except: except.filter(isExclusion) }),
    ...(isNumeric(jitterSeconds) && { jitterSeconds }),
    ...(isRecord(dst) && { dst: dstOf(dst) }),
  };
  const kind = kindOf(draft);
  return kind === undefined ? undefined : fieldsFor(kind, draft);
}

const CALENDAR_FIELDS: readonly CalendarField[] = ['year', 'month', 'date', 'hour', 'minute', 'daysOfWeek'];

const calendarOf = (value: Record<string, unknown>): CalendarDraft =>
  Object.fromEntries(
    CALENDAR_FIELDS.filter((name) => listOf(value[name]).length > 0).map((name) => [
      name,
      listOf(value[name]).filter(isNumeric),
    ]),
  );

/** The values of a field, which may be one value or a list. */
export const listOf = <T>(value: T | readonly T[] | undefined): readonly T[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as T];

const isNumeric = (value: unknown): value is Numeric =>
  typeof value === 'number' || typeof value === 'string';

const isExclusion = (value: unknown): value is Exclusion =>
  typeof value === 'string' ||
  (isRecord(value) &&
    (typeof value.cron === 'string' || (typeof value.from === 'string' && typeof value.to === 'string')));

const dstOf = ({ gap, overlap }: Record<string, unknown>): Dst => ({
  ...((gap === 'skip' || gap === 'after') && { gap }),
  ...((overlap === 'once' || overlap === 'twice') && { overlap }),
});
