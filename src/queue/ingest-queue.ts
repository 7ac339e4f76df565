// The ingest queue: accepted jobs that a consumer creates. A message carries the idempotency key that the job's id is derived
// from. The job is created once, however often the message is delivered.
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { jobSpecSchema } from '../domain/jobs/job-spec.ts';
import type { RequestMeter } from './sqs/send-batch.ts';

const messageSchema = z.object({
  userId: z.string().min(1),
  idempotencyKey: z.string().min(1),
  spec: jobSpecSchema,
  acceptedAt: z.number(),
  /** X-Ray's trace header of the request. */
  trace: z.string().optional().catch(undefined),
});

export type IngestMessage = z.output<typeof messageSchema>;

export interface IngestQueue {
  /** Returns when the message is stored. False if the message is too large for the queue. */
  send(message: IngestMessage): Promise<boolean>;
}

/** SQS's maximum is 1 MiB. A request body that the API accepts is larger only if JSON escapes make it grow. */
const MAX_BYTES = 1_000_000;

export interface IngestOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly meter?: RequestMeter;
  /** The trace header of the current request. Default: none. */
  readonly trace?: () => string | undefined;
}

/** 1 request per message, counted per 64 KB. */
export function createIngestQueue({ client, queueUrl, meter, trace }: IngestOptions): IngestQueue {
  return {
    async send(message) {
      const MessageBody = JSON.stringify({ ...message, trace: trace?.() });
      if (Buffer.byteLength(MessageBody) > MAX_BYTES) return false;
      meter?.('SendMessage', 1);
      await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody }));
      return true;
    },
  };
}

/** Undefined if the body is not a message of this queue. */
export function decodeIngest(body: string): IngestMessage | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
