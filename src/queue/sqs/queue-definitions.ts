// The queues: their names and settings as plain data. The CDK stack and local mode both read it, so they cannot drift.
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  type SQSClient,
} from '@aws-sdk/client-sqs';

export const WORK_QUEUE = {
  /** How long a message is hidden from others once received: a lease's length, so that a crash costs no more. */
  visibilitySeconds: 30,
  /** A message that waits for a lease comes back many times; only what nobody can handle at all gets here. */
  maxReceiveCount: 1_000,
  /** Settle sends again what is older and still open. */
  retentionSeconds: 86_400,
} as const;

export const DEAD_LETTERS = {
  visibilitySeconds: 30,
  retentionSeconds: 14 * 86_400,
} as const;

export const INGEST_QUEUE = {
  /** Six times what the consumer's Lambda may take, as AWS advises. */
  visibilitySeconds: 60,
  /** What fails so often for a passing reason ends in the ingest dead letters too. */
  maxReceiveCount: 20,
  retentionSeconds: 4 * 86_400,
} as const;

export const NOTIFY_QUEUE = {
  /** Six times what the notifier's Lambda may take; what is to be tried again is given a time of its own. */
  visibilitySeconds: 360,
  /** More than the notifier tries itself: it knows the reason. */
  maxReceiveCount: 50,
  retentionSeconds: 4 * 86_400,
} as const;

export const notifyName = (prefix: string): string => `${prefix}notify`;
export const notifyDeadLettersName = (prefix: string): string => `${prefix}notify-dead-letters`;
export const ingestName = (prefix: string): string => `${prefix}ingest`;
export const ingestDeadLettersName = (prefix: string): string => `${prefix}ingest-dead-letters`;
export const workQueueName = (prefix: string, index: number): string => `${prefix}work-${index}`;
export const deadLettersName = (prefix: string): string => `${prefix}dead-letters`;

export interface QueueUrls {
  readonly queueUrls: string[];
  readonly deadLetterUrl: string;
}

/** Creates the queues that are missing. Those that exist are left as they are. */
export async function createQueues(client: SQSClient, prefix: string, count: number): Promise<QueueUrls> {
  const { url: deadLetterUrl, arn } = await ensureDeadLetters(client, deadLettersName(prefix));
  const queueUrls = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      ensure(client, workQueueName(prefix, index), attributesOf(WORK_QUEUE, arn)),
    ),
  );
  return { queueUrls, deadLetterUrl };
}

export interface IngestUrls {
  readonly ingestUrl: string;
  readonly ingestDeadLetterUrl: string;
}

/** The same for the queue of jobs to be created. */
export async function createIngestQueues(client: SQSClient, prefix: string): Promise<IngestUrls> {
  const { url: ingestDeadLetterUrl, arn } = await ensureDeadLetters(client, ingestDeadLettersName(prefix));
  const ingestUrl = await ensure(client, ingestName(prefix), attributesOf(INGEST_QUEUE, arn));
  return { ingestUrl, ingestDeadLetterUrl };
}

export interface NotifyUrls {
  readonly notifyUrl: string;
  readonly notifyDeadLetterUrl: string;
}

/** The same for the queue of what is to be told. */
export async function createNotifyQueues(client: SQSClient, prefix: string): Promise<NotifyUrls> {
  const { url: notifyDeadLetterUrl, arn } = await ensureDeadLetters(client, notifyDeadLettersName(prefix));
  const notifyUrl = await ensure(client, notifyName(prefix), attributesOf(NOTIFY_QUEUE, arn));
  return { notifyUrl, notifyDeadLetterUrl };
}

async function ensureDeadLetters(client: SQSClient, name: string): Promise<{ url: string; arn: string }> {
  const url = await ensure(client, name, {
    VisibilityTimeout: String(DEAD_LETTERS.visibilitySeconds),
    MessageRetentionPeriod: String(DEAD_LETTERS.retentionSeconds),
  });
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
  );
  return { url, arn: Attributes?.QueueArn ?? '' };
}

const attributesOf = (
  queue: typeof WORK_QUEUE | typeof INGEST_QUEUE | typeof NOTIFY_QUEUE,
  deadLetterTargetArn: string,
) => ({
  VisibilityTimeout: String(queue.visibilitySeconds),
  MessageRetentionPeriod: String(queue.retentionSeconds),
  RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: queue.maxReceiveCount }),
});

async function ensure(client: SQSClient, name: string, attributes: Record<string, string>): Promise<string> {
  const url = await find(client, name);
  if (url) return url;
  const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  if (!QueueUrl) throw new Error(`the queue ${name} was created and has no url`);
  return QueueUrl;
}

async function find(client: SQSClient, name: string): Promise<string | undefined> {
  try {
    return (await client.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl;
  } catch (error) {
    if (error instanceof QueueDoesNotExist) return undefined;
    throw error;
  }
}
