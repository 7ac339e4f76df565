// What a client says when it creates a job: the schema that validation, types and documentation come from.
import { z } from 'zod';
import { policiesSchema } from './policies.ts';
import { scheduleSchema } from './schedule/schema.ts';

export const NOTIFY_ON = ['succeeded', 'failed', 'retrying', 'late', 'skipped'] as const;

const notifySchema = z
  .strictObject({
    on: z.array(z.enum(NOTIFY_ON)).min(1).max(NOTIFY_ON.length),
    webhook: z
      .strictObject({ url: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2048) })
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
        message: `names ${targets.length} targets; exactly one of webhook, email and sns is needed`,
      });
    }
  });

export type Notify = z.infer<typeof notifySchema>;

const MOST_TAGS = 10;

const tagsSchema = z.record(z.string().min(1).max(64), z.string().max(128)).superRefine((tags, context) => {
  const count = Object.keys(tags).length;
  if (count > MOST_TAGS) {
    context.addIssue({ code: 'custom', message: `has ${count} tags; at most ${MOST_TAGS} are allowed` });
  }
});

export const jobSpecSchema = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  task: z.string().min(1).max(64).describe('one of GET /tasks'),
  params: z.record(z.string(), z.unknown()).default({}).describe("by the task's own schema"),
  schedule: scheduleSchema.optional().describe('none: run immediately'),
  ...policiesSchema.shape,
  notify: z.array(notifySchema).max(10).default([]),
  tags: tagsSchema.default({}),
});

/** With the defaults filled in. */
export type JobSpec = z.output<typeof jobSpecSchema>;
