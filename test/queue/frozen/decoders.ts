// The decoders of the three queues as the first version with messages of their own had them. They stand for a consumer of an
// earlier version that still runs during a rollout. This file imports nothing of `src`, and does not change with it: what these
// decoders refuse, a rollout would dead-letter.
import { z } from 'zod';

const NOTIFY_ON = ['failed', 'retrying', 'late', 'skipped', 'succeeded'] as const;

const execution = z.looseObject({
  id: z.string(),
  status: z.string(),
  dueAt: z.string(),
  attempt: z.number(),
  maxAttempts: z.number(),
  latenessMs: z.number().optional(),
  error: z.looseObject({ name: z.string(), message: z.string() }).optional(),
  reason: z.string().optional(),
});

const row = z.object({
  status: z.enum(['QUEUED', 'RUNNING', 'RETRYING', 'SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED']),
  number: z.number(),
  attempt: z.number(),
});

const key = { jobId: z.string().min(1), due: z.string().regex(/^\d{13}/) };

const notify = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('event'),
    event: z.enum(NOTIFY_ON),
    ...key,
    at: z.number(),
    execution,
    row: row.optional(),
    late: z
      .object({ expectedAt: z.number(), startedAt: z.number().optional(), revision: z.string() })
      .optional(),
  }),
  z.object({
    kind: z.literal('change'),
    ...key,
    at: z.number(),
    change: z.string(),
    execution,
    row: row.optional(),
  }),
  z.object({
    kind: z.literal('summary'),
    id: z.string(),
    jobId: z.string(),
    event: z.enum(NOTIFY_ON),
    until: z.number(),
  }),
  z.object({
    kind: z.literal('delivery'),
    id: z.string(),
    userId: z.string(),
    target: z.union([
      z.object({ webhook: z.object({ url: z.string() }) }),
      z.object({ email: z.object({ to: z.string() }) }),
      z.object({ sns: z.object({ topicArn: z.string() }) }),
    ]),
    payload: z.object({
      event: z.enum(NOTIFY_ON),
      job: z.object({ id: z.string(), name: z.string().optional() }),
      execution,
      folded: z.number(),
      at: z.string(),
    }),
  }),
]);

const ingest = z.object({
  userId: z.string().min(1),
  idempotencyKey: z.string().min(1),
  spec: z.looseObject({
    name: z.string().optional(),
    task: z.string().min(1),
    params: z.record(z.string(), z.unknown()),
    schedule: z.looseObject({}).optional(),
    retry: z.looseObject({
      maxAttempts: z.number(),
      backoffSeconds: z.number(),
      maxBackoffSeconds: z.number(),
    }),
    timeoutSeconds: z.number(),
    overlap: z.string(),
    misfire: z.looseObject({ policy: z.string(), graceSeconds: z.number() }),
    limit: z.looseObject({ key: z.string(), concurrent: z.number() }).optional(),
    notify: z.array(z.looseObject({ on: z.array(z.string()) })),
    tags: z.record(z.string(), z.string()),
  }),
  acceptedAt: z.number(),
  trace: z.string().optional().catch(undefined),
});

const work = z.object({
  jobId: z.string().min(1),
  due: z.string().regex(/^\d{13}/),
  revision: z.string().min(1),
  fireAt: z.number(),
  enqueuedAt: z.number(),
  owner: z.string().min(1).max(128).optional().catch(undefined),
  keyed: z.literal(true).optional().catch(undefined),
  trace: z.string().max(400).optional().catch(undefined),
});

/** Undefined if the consumer would dead-letter the message. */
export const frozen = {
  work: (body: string): unknown => work.safeParse(JSON.parse(body)).data,
  notify: (body: string): unknown => notify.safeParse(JSON.parse(body)).data,
  ingest: (body: string): unknown => ingest.safeParse(JSON.parse(body)).data,
};
