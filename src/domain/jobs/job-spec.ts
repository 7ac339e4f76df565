// The job in a create request: one schema for validation, types and documentation.
import { z } from 'zod';
import { scheduleSchema } from '../schedule/schedule-schema.ts';
import { boundedRecord } from '../validation/bounded-record.ts';
import { optionalFields } from '../validation/optional-fields.ts';
import { limitSchema } from './concurrency-key.ts';
import { DEFAULT_LATE_SECONDS, NOTIFY_ON } from './notify-events.ts';
import { misfireSchema, policiesSchema, retrySchema } from './policies.ts';

const notifySchema = z
  .strictObject({
    on: z.array(z.enum(NOTIFY_ON)).min(1).max(NOTIFY_ON.length),
    lateSeconds: z
      .int()
      .min(1)
      .max(86_400)
      .optional()
      .describe(`delay of the start after which "late" is sent; default ${DEFAULT_LATE_SECONDS}`),
    webhook: z
      .strictObject({
        url: z
          .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
          .max(2048)
          .refine((url) => !/^\w+:\/*[^/?#]*@/.test(url), 'must not contain a user name or password'),
      })
      .optional(),
    email: z.strictObject({ to: z.email().max(254) }).optional(),
    sns: z
      .strictObject({
        topicArn: z.string().regex(/^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w-]{1,256}$/, {
          error: 'must be the ARN of an SNS topic, such as "arn:aws:sns:eu-west-1:123456789012:alerts"',
        }),
      })
      .optional(),
  })
  .superRefine((notify, context) => {
    const targets = [notify.webhook, notify.email, notify.sns].filter((target) => target !== undefined);
    if (targets.length !== 1) {
      context.addIssue({
        code: 'custom',
        message: `must have exactly one of webhook, email and sns, got ${targets.length} of them`,
      });
    }
  });

export type Notify = z.infer<typeof notifySchema>;

const MAX_TAGS = 10;

const tagsSchema = boundedRecord(z.string().min(1).max(64), z.string().max(128), MAX_TAGS, 'tags');

export const EXAMPLE_JOB = {
  name: 'nightly-report',
  task: 'http',
  params: { url: 'https://example.com/hook', method: 'POST', body: { a: 1 } },
  schedule: { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris' },
  notify: [{ on: ['failed'], webhook: { url: 'https://example.com/alert' } }],
  tags: { team: 'billing' },
};

export const jobSpecSchema = z
  .strictObject({
    name: z.string().min(1).max(100).optional(),
    task: z.string().min(1).max(64).describe('name of a task; GET /tasks lists them'),
    params: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('parameters of the task; GET /tasks has their schema'),
    schedule: scheduleSchema.optional().describe('without a schedule the job runs once, immediately'),
    ...policiesSchema.shape,
    notify: z.array(notifySchema).max(10).default([]),
    tags: tagsSchema.default({}),
  })
  .meta({ id: 'NewJob', examples: [EXAMPLE_JOB] });

/** A valid job with the defaults filled in. */
export type JobSpec = z.output<typeof jobSpecSchema>;

/** The reason that a user gives for a change. */
export const noteSchema = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe('reason for the change; every user who may see the job can read it in the change record');

/**
 * An edit. Fields that are absent keep their value. `retry` and `misfire` are merged field by field. `params`, `notify`,
 * `tags`, `schedule` and `limit` are replaced as a whole. `limit: null` removes the limit.
 */
export const jobPatchSchema = z
  .strictObject({
    note: noteSchema,
    ...optionalFields(jobSpecSchema.shape),
    retry: z.strictObject(optionalFields(retrySchema.shape)).optional(),
    misfire: z.strictObject(optionalFields(misfireSchema.shape)).optional(),
    limit: limitSchema.nullable().optional().describe('new limit; null removes the limit'),
  })
  .meta({ id: 'JobEdit', examples: [{ schedule: { cron: '30 8 * * MON-FRI', timezone: 'Europe/Paris' } }] });

export type JobPatch = z.output<typeof jobPatchSchema>;
