// Converts a calendar schedule to the fields of a cron pattern.
import type { Calendar } from './calendar-schema.ts';
import type { Cron } from './cron.ts';
import type { Term } from './cron-field.ts';
import { weekdayNumber } from './describe-fields.ts';

export function calendarToCron(calendar: Calendar): Cron {
  const { year, month, date, hour, minute, daysOfWeek } = calendar;
  const every: Term[] = [{ kind: 'every' }];
  return {
    second: [single(0)],
    minute: terms(minute) ?? [single(0)],
    hour: terms(hour) ?? (minute === undefined ? [single(0)] : every),
    day: terms(date) ?? every,
    month: terms(month) ?? every,
    weekday: terms(mapped(daysOfWeek)) ?? every,
    year: terms(year) ?? every,
    days: 'both',
    clockChanges: 'debian',
  };
}

const single = (value: number): Term => ({ kind: 'range', from: value, to: value });

const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

const mapped = (days: Calendar['daysOfWeek']): number[] | undefined =>
  days === undefined ? undefined : list<string | number>(days).map(weekdayNumber);

const terms = (value: number | 'L' | (number | 'L')[] | undefined): Term[] | undefined =>
  value === undefined
    ? undefined
    : list<number | 'L'>(value).map((v) => (v === 'L' ? { kind: 'lastDay' } : single(v)));
