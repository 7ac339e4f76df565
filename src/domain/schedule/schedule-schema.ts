// The schema of schedules in requests, and the types of schedules in the stored form, where nothing depends on "now".
import { z } from 'zod';
import { calendarSchema } from './calendar-schema.ts';
import { MAX_PATTERN } from './cron.ts';
import { exceptSchema } from './except-schema.ts';
import { COMBINES_WITH, KINDS, type Kind, MAX_JITTER_SECONDS } from './schedule-kinds.ts';

const time = z.string().max(64);

export const dstSchema = z.strictObject({
  gap: z
    .enum(['skip', 'after'])
    .optional()
    .describe('local time that clocks skip: no run, or a run at the first instant after the gap'),
  overlap: z
    .enum(['once', 'twice'])
    .optional()
    .describe('local time that occurs twice: a run at the first only, or at both'),
});

export const scheduleSchema = z
  .strictObject({
    at: time
      .optional()
      .describe('one time: ISO 8601 with an offset, or a local time together with `timezone`'),
    in: time.optional().describe('one time: ISO 8601 duration from now, such as PT90S'),
    cron: z
      .string()
      .max(MAX_PATTERN)
      .optional()
      .describe(
        '5 fields, 6 (seconds first) or 7 (year last), with * , - / ? L L-3 W LW # and names; nicknames such as @daily; also cron(…), rate(…) and at(…) of AWS',
      ),
    every: time.optional().describe('fixed rate: ISO 8601 duration of at least PT1S, counted from `startAt`'),
    calendar: calendarSchema.optional(),
    timezone: z
      .string()
      .max(64)
      .optional()
      .describe('IANA name such as Europe/Paris, or a fixed offset such as +05:30; default UTC'),
    startAt: time.optional().describe('first possible occurrence, inclusive'),
    endAt: time.optional().describe('last possible occurrence, inclusive'),
    except: exceptSchema.optional(),
    jitterSeconds: z
      .int()
      .min(0)
      .max(MAX_JITTER_SECONDS)
      .optional()
      .describe('maximum delay of a start; the delay of an occurrence is always the same'),
    dst: dstSchema.optional(),
  })
  .superRefine((schedule, context) => {
    const given = KINDS.filter((kind) => schedule[kind] !== undefined);
    const [kind] = given;
    if (given.length !== 1 || !kind) {
      const got = given.length === 0 ? 'none' : given.join(' and ');
      context.addIssue({
        code: 'custom',
        path: given[1] ? [given[1]] : [],
        message: `a schedule must have exactly one of ${KINDS.join(', ')}; got ${got}`,
      });
      return;
    }
    for (const [field, value] of Object.entries(schedule)) {
      if (value === undefined || field === kind || COMBINES_WITH[kind].includes(field)) continue;
      const allowed = COMBINES_WITH[kind].length > 0 ? COMBINES_WITH[kind].join(', ') : 'no other fields';
      context.addIssue({
        code: 'custom',
        path: [field],
        message: `${field} does not apply to a schedule with "${kind}", which allows ${allowed}`,
      });
    }
  })
  .meta({ oneOf: KINDS.map((kind) => ({ required: [kind] })) });

/** The schedule in responses: the same fields, none of which depends on the time of creation. */
export const storedScheduleSchema = z
  .strictObject(scheduleSchema.shape)
  .describe('the schedule of the request; relative times are resolved to instants');

/**
 * Each kind as an object of its own, for OpenAPI: generators of clients need a `oneOf` of whole objects. Requests are parsed
 * by `scheduleSchema`, because its errors name the wrong field.
 */
const variant = (id: string, kind: Kind, otherFields: readonly string[]): z.ZodType => {
  const fields: Record<string, z.ZodType> = scheduleSchema.shape;
  const own = scheduleSchema.shape[kind].unwrap().describe(scheduleSchema.shape[kind].description ?? '');
  const others = Object.fromEntries(otherFields.map((field) => [field, fields[field] ?? z.never()]));
  return z.strictObject({ [kind]: own, ...others }).meta({ id });
};

const RECURRING = {
  cron: variant('ScheduleCron', 'cron', COMBINES_WITH.cron),
  every: variant('ScheduleEvery', 'every', COMBINES_WITH.every),
  calendar: variant('ScheduleCalendar', 'calendar', COMBINES_WITH.calendar),
};

export const scheduleVariants: readonly z.ZodType[] = [
  variant('ScheduleAt', 'at', COMBINES_WITH.at),
  variant('ScheduleIn', 'in', COMBINES_WITH.in),
  ...Object.values(RECURRING),
];

/** In a response, a schedule with `in` also has the resolved `at`. */
export const storedScheduleVariants: readonly z.ZodType[] = [
  variant('ScheduleOnce', 'at', ['in', 'timezone']),
  ...Object.values(RECURRING),
];

export type ScheduleInput = z.infer<typeof scheduleSchema>;
export type Dst = z.infer<typeof dstSchema>;

type Common = Pick<ScheduleInput, 'startAt' | 'endAt' | 'except' | 'jitterSeconds'>;

/** All times have an offset, so that they never change their meaning. */
export type OneTime = { at: string } & Pick<ScheduleInput, 'in' | 'timezone'>;
export type FixedRate = { every: string; startAt: string } & Common & Pick<ScheduleInput, 'timezone'>;
export type CronSchedule = { cron: string; timezone: string } & Common & Pick<ScheduleInput, 'dst'>;
export type CalendarSchedule = {
  calendar: NonNullable<ScheduleInput['calendar']>;
  timezone: string;
} & Common &
  Pick<ScheduleInput, 'dst'>;

/** The stored form of a schedule. Relative times are resolved to instants. */
export type Schedule = OneTime | FixedRate | CronSchedule | CalendarSchedule;
