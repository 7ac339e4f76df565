// The schema of `except`: the dates, ranges and patterns that a recurring schedule leaves out.
import { z } from 'zod';
import { formatValue } from '../validation/validation.ts';
import { MAX_PATTERN } from './cron.ts';
import { MAX_EXCEPT_BYTES } from './exclusions.ts';

/** More dates than this do not fit into `MAX_EXCEPT_BYTES`. */
const MAX_EXCLUSIONS = 15;

const dateOrTime = (which: string) =>
  z.string().max(64).describe(`${which} excluded date, or time with an offset or in \`timezone\`; inclusive`);

const notAnExclusion = ({ input }: { input?: unknown }): string =>
  `must be a date such as "2026-12-25", { from, to } or { cron }, got ${formatValue(input)}`;

export const exclusionSchema = z.union([
  z
    .string({ error: notAnExclusion })
    .max(64)
    .describe('a local date such as 2026-12-25: the whole day in `timezone`'),
  z.strictObject({ from: dateOrTime('first'), to: dateOrTime('last') }),
  z.strictObject({
    cron: z
      .string()
      .max(MAX_PATTERN)
      .describe(
        'cron pattern in `timezone`: "* * * * SAT,SUN" excludes weekends. With 5 fields, whole minutes are excluded',
      ),
  }),
]);

export const exceptSchema = z
  .array(exclusionSchema)
  .max(MAX_EXCLUSIONS)
  .describe(
    `times at which the job does not run: dates, ranges and patterns; at most ${MAX_EXCEPT_BYTES} bytes of JSON`,
  );
