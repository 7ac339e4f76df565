// The ingest queue: jobs that were accepted and are to be created. A message carries the key that the job's id follows
// from, so that however often it is delivered, the job is created once.
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { jobSpecSchema } from '../domain/jobs/job-spec.ts';
import type { RequestMeter } from './sqs/send-batch.ts';

const messageSchema = z.object({
  userId: z.string().min(1),
  idempotencyKey: z.string().min(1),
  spec: jobSpecSchema,
  acceptedAt: z.number(),
  /** The trace of the request, as X-Ray's header has it. */
  trace: z.string().optional().catch(undefined),
});

export type IngestMessage = z.output<typeof messageSchema>;

export interface IngestQueue {
  /** Returns when it is sure to be delivered; false when it is too large for the queue. */
  send(message: IngestMessage): Promise<boolean>;
}

/** SQS takes 1 MiB; more than the API takes, unless JSON's escapes make it grow. */
const MAX_BYTES = 1_000_000;

export interface IngestOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly meter?: RequestMeter;
  /** Of the request that is being answered. Default: there is none. */
  readonly trace?: () => string | undefined;
}

/** 1 request per message (and 64 KB). */
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

/** Undefined when it is no message of ours. */
export function decodeIngest(body: string): IngestMessage | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
