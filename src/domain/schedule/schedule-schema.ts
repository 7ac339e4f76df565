// The schedule as the API takes it, and as it is stored once everything that depends on "now" is resolved.
import { z } from 'zod';
import { calendarSchema } from './calendar-schema.ts';
import { MAX_PATTERN } from './cron.ts';

const KINDS = ['at', 'in', 'cron', 'every', 'calendar'] as const;
type Kind = (typeof KINDS)[number];

/** What may stand beside each kind. */
const COMBINES_WITH: Record<Kind, readonly string[]> = {
  at: ['timezone'],
  in: [],
  cron: ['timezone', 'startAt', 'endAt', 'jitterSeconds', 'dst'],
  every: ['timezone', 'startAt', 'endAt', 'jitterSeconds'],
  calendar: ['timezone', 'startAt', 'endAt', 'jitterSeconds', 'dst'],
};

const time = z.string().max(64);

export const MAX_JITTER_SECONDS = 3600;

export const dstSchema = z.strictObject({
  gap: z
    .enum(['skip', 'after'])
    .optional()
    .describe('a local time that clocks change over: no run, or a run at the first instant after the gap'),
  overlap: z
    .enum(['once', 'twice'])
    .optional()
    .describe('a local time that happens twice: a run at the first only, or at both'),
});

export const scheduleSchema = z
  .strictObject({
    at: time.optional().describe('one time: ISO 8601 with an offset, or a local time with `timezone`'),
    in: time.optional().describe('one time, this ISO 8601 duration from now: PT90S'),
    cron: z
      .string()
      .max(MAX_PATTERN)
      .optional()
      .describe(
        '5 fields, 6 (seconds first) or 7 (year last), with * , - / ? L L-3 W LW # and names; @daily and friends; also cron(…), rate(…) and at(…) of AWS',
      ),
    every: time.optional().describe('fixed rate, an ISO 8601 duration from PT1S on, counted from `startAt`'),
    calendar: calendarSchema.optional(),
    timezone: z
      .string()
      .max(64)
      .optional()
      .describe('IANA name such as Europe/Paris, or a fixed offset such as +05:30; UTC unless given'),
    startAt: time.optional().describe('no occurrence before this time; one exactly at it counts'),
    endAt: time.optional().describe('no occurrence after this time; one exactly at it counts'),
    jitterSeconds: z
      .int()
      .min(0)
      .max(MAX_JITTER_SECONDS)
      .optional()
      .describe('each occurrence starts up to this much later, always the same for the same occurrence'),
    dst: dstSchema.optional(),
  })
  .superRefine((schedule, context) => {
    const given = KINDS.filter((kind) => schedule[kind] !== undefined);
    const [kind] = given;
    if (given.length !== 1 || !kind) {
      const said = given.length === 0 ? 'none is given' : `given are ${given.join(' and ')}`;
      context.addIssue({
        code: 'custom',
        path: given[1] ? [given[1]] : [],
        message: `a schedule has exactly one of ${KINDS.join(', ')}; ${said}`,
      });
      return;
    }
    for (const [field, value] of Object.entries(schedule)) {
      if (value === undefined || field === kind || COMBINES_WITH[kind].includes(field)) continue;
      const allowed = COMBINES_WITH[kind].length > 0 ? COMBINES_WITH[kind].join(', ') : 'nothing else';
      context.addIssue({
        code: 'custom',
        path: [field],
        message: `${field} does not apply to a schedule with "${kind}"; beside it goes ${allowed}`,
      });
    }
  })
  .meta({ oneOf: KINDS.map((kind) => ({ required: [kind] })) });

/** As shown: the same fields, none of which depends on the time of creation any more. */
export const storedScheduleSchema = z
  .strictObject(scheduleSchema.shape)
  .describe('as given, with what depends on the time of creation resolved');

/**
 * Each kind as an object of its own, for documentation: generators of clients type a `oneOf` of whole objects. Input is
 * parsed by `scheduleSchema`, whose errors name the field instead of the kinds that it is not.
 */
const form = (id: string, kind: Kind, beside: readonly string[]): z.ZodType => {
  const fields: Record<string, z.ZodType> = scheduleSchema.shape;
  const own = scheduleSchema.shape[kind].unwrap().describe(scheduleSchema.shape[kind].description ?? '');
  const others = Object.fromEntries(beside.map((field) => [field, fields[field] ?? z.never()]));
  return z.strictObject({ [kind]: own, ...others }).meta({ id });
};

const RECURRING = {
  cron: form('ScheduleCron', 'cron', COMBINES_WITH.cron),
  every: form('ScheduleEvery', 'every', COMBINES_WITH.every),
  calendar: form('ScheduleCalendar', 'calendar', COMBINES_WITH.calendar),
};

export const scheduleVariants: readonly z.ZodType[] = [
  form('ScheduleAt', 'at', COMBINES_WITH.at),
  form('ScheduleIn', 'in', COMBINES_WITH.in),
  ...Object.values(RECURRING),
];

/** A schedule that was given as `in` is shown with the instant that it became. */
export const storedScheduleVariants: readonly z.ZodType[] = [
  form('ScheduleOnce', 'at', ['in', 'timezone']),
  ...Object.values(RECURRING),
];

export type ScheduleInput = z.infer<typeof scheduleSchema>;
export type Dst = z.infer<typeof dstSchema>;

type Common = Pick<ScheduleInput, 'startAt' | 'endAt' | 'jitterSeconds'>;

/** All times have an offset, so that they mean the same instant for ever. */
export type OneTime = { at: string } & Pick<ScheduleInput, 'in' | 'timezone'>;
export type FixedRate = { every: string; startAt: string } & Common & Pick<ScheduleInput, 'timezone'>;
export type CronSchedule = { cron: string; timezone: string } & Common & Pick<ScheduleInput, 'dst'>;
export type CalendarSchedule = {
  calendar: NonNullable<ScheduleInput['calendar']>;
  timezone: string;
} & Common &
  Pick<ScheduleInput, 'dst'>;

/** As stored and shown: the API's shape, with what depends on the time of creation resolved. */
export type Schedule = OneTime | FixedRate | CronSchedule | CalendarSchedule;
