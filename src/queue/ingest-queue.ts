// The ingest queue: accepted jobs that a consumer creates. A message carries the idempotency key that the job's id is derived
// from. The job is created once, however often the message is delivered.
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import type { JobSpec } from '../domain/jobs/job-spec.ts';
import { carrying } from './carrying.ts';
import type { RequestMeter } from './sqs/send-batch.ts';

/**
 * What a consumer needs of an accepted job. The API has checked the job, and a consumer of another version checks it no further:
 * fields that it does not know are stored as they came, and a field that it needs is never absent.
 */
const acceptedSpec = carrying<JobSpec>({
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
});

const messageSchema = z.object({
  userId: z.string().min(1),
  idempotencyKey: z.string().min(1),
  spec: acceptedSpec,
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
