// The schema of the `calendar` kind: dates and times as fields of a form.
import { z } from 'zod';
import { weekdayNumber } from './describe-fields.ts';

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
      error: `must be a whole number from ${from} to ${to}, or a list of them`,
    },
  );
};

const ANY_WEEKDAY = 'a day of the week such as MON, Monday or 1 (0 and 7 are Sunday)';

const weekday = z.union([
  z.int().min(0).max(7),
  z
    .string()
    .max(9)
    .refine((name) => weekdayNumber(name) >= 0, { error: `must be ${ANY_WEEKDAY}` }),
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
          error: 'must be a day of the month from 1 to 31, "L" for the last one, or a list of them',
        },
      )
      .optional(),
    hour: oneOrMore(0, 23).optional(),
    minute: oneOrMore(0, 59).optional(),
    daysOfWeek: z
      .union([weekday, z.array(weekday).min(1).max(8)], {
        error: `must be ${ANY_WEEKDAY}, or a list of them`,
      })
      .optional(),
  })
  .refine((calendar) => Object.values(calendar).some((value) => value !== undefined), {
    error: 'must have at least one of year, month, date, hour, minute, daysOfWeek',
  })
  .describe(
    'The job runs when every given field matches. Without hour and minute the time is 00:00. Without minute the minute is 0. Without hour it runs in every hour.',
  );

export type Calendar = z.infer<typeof calendarSchema>;
