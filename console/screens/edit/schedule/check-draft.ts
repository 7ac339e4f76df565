// Checks the parts of a schedule that the form leaves open: numbers and lists of numbers. The engine checks the rest.
import type { FieldError } from '../../../../src/domain/errors.ts';
import { weekdayNumber } from '../../../../src/domain/schedule/describe-fields.ts';
import { MAX_JITTER_SECONDS } from '../../../../src/domain/schedule/schedule-kinds.ts';
import type { ScheduleInput } from '../../../../src/domain/schedule/schedule-schema.ts';
import { formatValue } from '../../../../src/domain/validation/validation.ts';
import { type CalendarField, listOf, type Numeric, type ScheduleDraft } from './schedule-draft.ts';

const RANGES: Record<Exclude<CalendarField, 'daysOfWeek'>, readonly [from: number, to: number]> = {
  year: [1970, 2199],
  month: [1, 12],
  date: [1, 31],
  hour: [0, 23],
  minute: [0, 59],
};

/** The draft as a request, or the fields that are not valid. */
export function checkDraft(
  draft: ScheduleDraft,
): { readonly schedule: ScheduleInput } | { readonly errors: FieldError[] } {
  const errors = [...jitterErrors(draft.jitterSeconds), ...calendarErrors(draft)];
  return errors.length > 0 ? { errors } : { schedule: draft as ScheduleInput };
}

function jitterErrors(jitter: Numeric | undefined): FieldError[] {
  if (jitter === undefined || isWhole(jitter, 0, MAX_JITTER_SECONDS)) return [];
  const message = `must be a whole number from 0 to ${MAX_JITTER_SECONDS}, got ${formatValue(jitter)}`;
  return [{ path: 'schedule.jitterSeconds', message }];
}

function calendarErrors({ calendar }: ScheduleDraft): FieldError[] {
  if (calendar === undefined) return [];
  if (Object.values(calendar).every((value) => listOf(value).length === 0)) {
    return [{ path: 'schedule.calendar', message: 'choose at least one time, day, month or year' }];
  }
  const ofNumbers = Object.entries(RANGES).flatMap(([name, [from, to]]) => {
    const wrong = listOf(calendar[name as CalendarField]).find(
      (value) => !(isWhole(value, from, to) || (name === 'date' && value === 'L')),
    );
    const allowed = `must be a whole number from ${from} to ${to}, or a list of them`;
    return wrong === undefined
      ? []
      : [{ path: `schedule.calendar.${name}`, message: `${allowed}, got ${formatValue(wrong)}` }];
  });
  const weekday = listOf(calendar.daysOfWeek).find((value) => !isWeekday(value));
  return weekday === undefined
    ? ofNumbers
    : [
        ...ofNumbers,
        {
          path: 'schedule.calendar.daysOfWeek',
          message: `must be a day of the week such as MON, got ${formatValue(weekday)}`,
        },
      ];
}

const isWhole = (value: Numeric, from: number, to: number): boolean =>
  Number.isInteger(value) && Number(value) >= from && Number(value) <= to;

const isWeekday = (value: Numeric): boolean =>
  typeof value === 'string' ? weekdayNumber(value) >= 0 : isWhole(value, 0, 7);
