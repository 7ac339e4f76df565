// The notify queue: what there may be to tell, and what is to be delivered to whom. Like any message, one of an event only
// says "look at this": the notifier tells what the row confirms.
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { chunksOf } from '../concurrency/map-limit.ts';
import type { Timer } from '../concurrency/timer.ts';
import { NOTIFY_ON } from '../domain/jobs/notify-events.ts';
import { executionShape } from '../domain/views/resource-schemas.ts';
import { BATCH, type RequestMeter, sendBatch, throwRejected } from './sqs/send-batch.ts';

const key = { jobId: z.string().min(1), due: z.string().regex(/^\d{13}/) };

/** The row as it was about to be written; it is looked for in the ledger. */
const rowSchema = z.object({
  status: z.enum(['QUEUED', 'RUNNING', 'RETRYING', 'SUCCEEDED', 'FAILED', 'SKIPPED', 'CANCELLED']),
  fence: z.string().optional(),
  attempt: z.number(),
});

const eventSchema = z.object({
  kind: z.literal('event'),
  event: z.enum(NOTIFY_ON),
  ...key,
  at: z.number(),
  execution: executionShape,
  /** Absent when it is about a start that is late, or has not come. */
  row: rowSchema.optional(),
  /** late: when it was to start, when it did, if it did, and whose message it was. */
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
  execution: executionShape,
  row: rowSchema.optional(),
});

/** A window is over: what was kept back in it is told. */
const summarySchema = z.object({
  kind: z.literal('summary'),
  id: z.string(),
  jobId: z.string(),
  event: z.enum(NOTIFY_ON),
  until: z.number(),
});

const deliverySchema = z.object({
  kind: z.literal('delivery'),
  /** The same however often it is sent: the receiver's idempotency key. */
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
    execution: executionShape,
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

/** SQS delays no longer; what is for later is handed back until then. */
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

/** 1 request per 10 messages (and 64 KB). */
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

/** Undefined when it is no message of ours. */
export function decodeNotify(body: string): NotifyMessage | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
