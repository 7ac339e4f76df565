// The `calendar` kind: a form of dates and times, turned into the fields of a cron pattern.
import { z } from 'zod';
import type { Cron } from './cron.ts';
import type { Term } from './cron-field.ts';
import { WEEKDAYS } from './describe-fields.ts';

const oneOrMore = (from: number, to: number) => {
  const one = z.int().min(from).max(to);
  return z.union(
    [
      one,
      z
        .array(one)
        .min(1)
        .max(to - from + 1),
    ],
    {
      error: `a whole number from ${from} to ${to}, or a list of them`,
    },
  );
};

const ANY_WEEKDAY = 'a day of the week such as MON, Monday or 1 (0 and 7 are Sunday)';

/** 0 is Sunday; by name (MON, Monday) or by number (7 is Sunday too). */
function weekdayOf(given: string | number): number {
  if (typeof given === 'number') return given % 7;
  const name = given.toLowerCase();
  return WEEKDAYS.map((weekday) => weekday.toLowerCase()).findIndex(
    (w) => name === w || name === w.slice(0, 3),
  );
}

const weekday = z.union([
  z.int().min(0).max(7),
  z
    .string()
    .max(9)
    .refine((name) => weekdayOf(name) >= 0, { error: `must be ${ANY_WEEKDAY}` }),
]);

export const calendarSchema = z
  .strictObject({
    year: oneOrMore(1970, 2199).optional(),
    month: oneOrMore(1, 12).optional(),
    date: z
      .union(
        [
          z.int().min(1).max(31),
          z.literal('L'),
          z
            .array(z.union([z.int().min(1).max(31), z.literal('L')]))
            .min(1)
            .max(32),
        ],
        {
          error: 'a day of the month from 1 to 31, "L" for the last one, or a list of them',
        },
      )
      .optional(),
    hour: oneOrMore(0, 23).optional(),
    minute: oneOrMore(0, 59).optional(),
    daysOfWeek: z
      .union([weekday, z.array(weekday).min(1).max(8)], {
        error: `${ANY_WEEKDAY}, or a list of them`,
      })
      .optional(),
  })
  .refine((calendar) => Object.values(calendar).some((value) => value !== undefined), {
    error: 'at least one of year, month, date, hour, minute, daysOfWeek is needed',
  })
  .describe(
    'runs when all that is given matches; without hour and minute at 00:00, without minute at minute 0, without hour in every hour',
  );

export type Calendar = z.infer<typeof calendarSchema>;

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
  days === undefined ? undefined : list<string | number>(days).map(weekdayOf);

const terms = (value: number | 'L' | (number | 'L')[] | undefined): Term[] | undefined =>
  value === undefined
    ? undefined
    : list<number | 'L'>(value).map((v) => (v === 'L' ? { kind: 'lastDay' } : single(v)));
