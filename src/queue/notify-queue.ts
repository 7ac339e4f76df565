// The notify queue: candidate events, and deliveries to targets. The notifier compares an event with its row before it sends
// notifications.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { chunksOf } from '../concurrency/map-limit.ts';
import type { Timer } from '../concurrency/timer.ts';
import { NOTIFY_ON } from '../domain/jobs/notify-events.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { carrying } from './carrying.ts';
import { BATCH, type RequestMeter, sendBatch, throwRejected } from './sqs/send-batch.ts';

const key = { jobId: z.string().min(1), due: z.string().regex(/^\d{13}/) };

/** What subjects and texts of notifications need. Receivers get the execution as its sender has written it. */
const execution = carrying<ExecutionView>({
  id: z.string(),
  status: z.string(),
  dueAt: z.string(),
  attempt: z.number(),
  maxAttempts: z.number(),
  latenessMs: z.number().optional(),
  error: z.looseObject({ name: z.string(), message: z.string() }).optional(),
  reason: z.string().optional(),
});

/** The row that the sender was about to write. The notifier compares it with the stored row. */
const rowSchema = z.object({
  status: z.enum(['QUEUED', 'RUNNING', 'RETRYING', 'SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED']),
  number: z.number(),
  attempt: z.number(),
});

const eventSchema = z.object({
  kind: z.literal('event'),
  event: z.enum(NOTIFY_ON),
  ...key,
  at: z.number(),
  execution,
  /** Absent in an event about a late or missing start. */
  row: rowSchema.optional(),
  /** Present if `event` is `late`. Without `startedAt` the execution has not started. */
  late: z
    .object({ expectedAt: z.number(), startedAt: z.number().optional(), revision: z.string() })
    .optional(),
});

/** A change of any execution, for the event bus. */
const changeSchema = z.object({
  kind: z.literal('change'),
  ...key,
  at: z.number(),
  change: z.string(),
  execution,
  row: rowSchema.optional(),
});

/** The end of a notification window with suppressed events. */
const summarySchema = z.object({
  kind: z.literal('summary'),
  id: z.string(),
  jobId: z.string(),
  event: z.enum(NOTIFY_ON),
  until: z.number(),
});

const deliverySchema = z.object({
  kind: z.literal('delivery'),
  /** The idempotency key for the receiver. It is the same in every attempt. */
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
});

const messageSchema = z.discriminatedUnion('kind', [
  eventSchema,
  changeSchema,
  summarySchema,
  deliverySchema,
]);

export type EventMessage = z.output<typeof eventSchema>;
export type ChangeMessage = z.output<typeof changeSchema>;
export type SummaryMessage = z.output<typeof summarySchema>;
export type DeliveryMessage = z.output<typeof deliverySchema>;
export type NotifyMessage = z.output<typeof messageSchema>;
export type RowToCome = z.output<typeof rowSchema>;

/** SQS's maximum delay. A message for later is received and hidden again until its time. */
const MAX_DELAY_SECONDS = 900;

export interface NotifyQueue {
  /** Returns when all are sent. */
  send(messages: readonly NotifyMessage[], delayMs?: number): Promise<void>;
}

export interface NotifyQueueOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly timer: Timer;
  readonly meter?: RequestMeter;
}

/** 1 request per 10 messages, counted per 64 KB. */
export function createNotifyQueue({ client, queueUrl, timer, meter }: NotifyQueueOptions): NotifyQueue {
  return {
    async send(messages, delayMs = 0) {
      const DelaySeconds = Math.min(Math.ceil(delayMs / 1000), MAX_DELAY_SECONDS);
      for (const batch of chunksOf(messages, BATCH)) {
        const results = await sendBatch('SendMessageBatch', batch, timer, async (entries) => {
          meter?.('SendMessageBatch', entries.length);
          const Entries = entries.map(({ id, entry }) => ({
            Id: id,
            MessageBody: JSON.stringify(entry),
            DelaySeconds,
          }));
          const command = new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries });
          return (await client.send(command)).Failed ?? [];
        });
        throwRejected(results);
      }
    },
  };
}

/** Undefined if the body is not a message of this queue. */
export function decodeNotify(body: string): NotifyMessage | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
