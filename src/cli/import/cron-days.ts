// The two day fields of a crontab line. Debian's cron and cronie combine them by AND if one of them begins with `*`, also as
// `*/2`. Punctual combines two restricted fields by OR. Such a line becomes a calendar schedule, which combines by AND.
import type { ScheduleInput } from '../../domain/schedule/schedule-schema.ts';
import { Refused } from './fields.ts';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const isUnrestricted = (field: string): boolean => /^\*(\/1)?$/.test(field);

/** True if cron would require both fields, and Punctual one of them. */
export const needsBothDays = (day: string, weekday: string): boolean =>
  !isUnrestricted(day) && !isUnrestricted(weekday) && (day.startsWith('*') || weekday.startsWith('*'));

export function calendarOf(fields: readonly string[]): Pick<ScheduleInput, 'calendar'> {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields;
  const months = valuesOf(month, 1, 12, MONTHS, 1);
  const hours = valuesOf(hour, 0, 23);
  return {
    calendar: {
      ...(months.length < 12 && { month: months }),
      date: valuesOf(day, 1, 31),
      ...(hours.length < 24 && { hour: hours }),
      minute: valuesOf(minute, 0, 59),
      daysOfWeek: [...new Set(valuesOf(weekday, 0, 7, DAYS).map((one) => one % 7))],
    },
  };
}

/** The values of a field: numbers, names, ranges, steps and lists. */
export function valuesOf(field: string, min: number, max: number, names: string[] = [], first = 0): number[] {
  const numberOf = (text: string): number => {
    const index = names.indexOf(text.toUpperCase());
    const value = index >= 0 ? index + first : /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new Refused(`the value ${JSON.stringify(text)} is not allowed`);
    return value;
  };
  const found = field.split(',').flatMap((part) => {
    const [range = '', step = '1'] = part.split('/');
    const [from = '', to] = range === '*' ? [String(min), String(max)] : range.split('-');
    const end = numberOf(to ?? from);
    const by = /^[1-9]\d*$/.test(step) ? Number(step) : Number.NaN;
    if (Number.isNaN(by)) throw new Refused(`the step ${JSON.stringify(step)} is not allowed`);
    const values: number[] = [];
    for (let value = numberOf(from); value <= end; value += by) values.push(value);
    return values;
  });
  return [...new Set(found)].sort((a, b) => a - b);
}
