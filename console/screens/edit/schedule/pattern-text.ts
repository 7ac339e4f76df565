// Converts cron patterns to calendars and back, where the other form has the same times.
import { calendarToCron } from '../../../../src/domain/schedule/calendar.ts';
import type { Calendar } from '../../../../src/domain/schedule/calendar-schema.ts';
import { type Cron, isEitherDay, isEvery, parseCron } from '../../../../src/domain/schedule/cron.ts';
import { FIELDS, type Field, type Term, valuesOf } from '../../../../src/domain/schedule/cron-field.ts';
import { longStep, runsOf } from '../../../../src/domain/schedule/describe-fields.ts';
import type { Dst } from '../../../../src/domain/schedule/schedule-schema.ts';
import { clockChangeRule } from '../../../../src/domain/schedule/zoned.ts';

const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

/** Undefined if a calendar cannot have the times of the pattern: seconds, the 15W or FRI#2 of a month, or one day field or the other. */
export function calendarOfCron(pattern: Cron): Calendar | undefined {
  const { second, minute, hour, day, month, weekday, year } = pattern;
  const isOnMinute = second.length === 1 && valuesOf(FIELDS.second, second).join() === '0';
  const days = daysOf(day);
  const weekdays = plainValues(FIELDS.weekday, weekday);
  if (!isOnMinute || isEitherDay(pattern) || days === undefined || weekdays === undefined) return undefined;
  const months = plainValues(FIELDS.month, month) ?? [];
  const years = plainValues(FIELDS.year, year) ?? [];
  return {
    ...(years.length > 0 && { year: years }),
    ...(months.length > 0 && { month: months }),
    ...(days.length > 0 && { date: days }),
    ...(!isEvery(hour) && { hour: valuesOf(FIELDS.hour, hour) }),
    minute: valuesOf(FIELDS.minute, minute),
    ...(weekdays.length > 0 && { daysOfWeek: weekdays.map((value) => WEEKDAYS[value] ?? String(value)) }),
  };
}

/** Empty if the field restricts nothing. Undefined if a list of numbers cannot express it. */
function plainValues(field: Field, terms: readonly Term[]): number[] | undefined {
  if (isEvery(terms)) return [];
  return terms.every(({ kind }) => kind === 'every' || kind === 'range') ? valuesOf(field, terms) : undefined;
}

function daysOf(terms: readonly Term[]): (number | 'L')[] | undefined {
  const isLast = (term: Term): boolean => term.kind === 'lastDay' && term.before === undefined;
  const values = plainValues(
    FIELDS.day,
    terms.filter((term) => !isLast(term)),
  );
  return values && (isEvery(terms) ? [] : [...values, ...(terms.some(isLast) ? (['L'] as const) : [])]);
}

/** Undefined if a pattern cannot have the times of the calendar: a day of the month that is also a day of the week. */
export function cronOfCalendar(calendar: Calendar): string | undefined {
  const { minute, hour, day, month, weekday, year } = calendarToCron(calendar);
  if (!isEvery(day) && !isEvery(weekday)) return undefined;
  const fields = [
    fieldText(FIELDS.minute, minute),
    fieldText(FIELDS.hour, hour),
    dayText(day),
    fieldText(FIELDS.month, month),
    fieldText(FIELDS.weekday, weekday, (value) => WEEKDAYS[value] ?? String(value)),
  ];
  return isEvery(year) ? fields.join(' ') : ['0', ...fields, fieldText(FIELDS.year, year)].join(' ');
}

function dayText(terms: readonly Term[]): string {
  const isLast = ({ kind }: Term): boolean => kind === 'lastDay';
  const numbers = terms.filter((term) => !isLast(term));
  const parts = numbers.length > 0 ? [fieldText(FIELDS.day, numbers)] : [];
  return [...parts, ...(terms.some(isLast) ? ['L'] : [])].join(',');
}

/** Never a `*` for a list of all values: clock changes treat it differently. */
function fieldText(field: Field, terms: readonly Term[], name: (value: number) => string = String): string {
  if (isEvery(terms)) return '*';
  const values = valuesOf(field, terms);
  const step = longStep(values);
  if (step !== undefined) return `${values[0]}-${values.at(-1)}/${step}`;
  if (values.length <= 2) return values.map(name).join(',');
  return runsOf(values)
    .flatMap(([from, to]) =>
      to - from > 1 ? [`${name(from)}-${name(to)}`] : from === to ? [name(from)] : [name(from), name(to)],
    )
    .join(',');
}

/** `dst` under which both patterns treat clock changes alike. Undefined if `dst` need not be set. */
export function dstFor(from: Cron, to: Cron, dst: Dst | undefined): Dst | undefined {
  const [wanted, given] = [clockChangeRule(from, dst), clockChangeRule(to, dst)];
  if (wanted.gap === given.gap && wanted.overlap === given.overlap) return dst;
  return { gap: wanted.gap === 'skip' ? 'skip' : 'after', overlap: wanted.overlap };
}

/** Undefined if the text is not a pattern. */
export function tryParseCron(text: string): Cron | undefined {
  try {
    return parseCron(text);
  } catch {
    return undefined;
  }
}
