// Creates the queues of queue-attributes.ts, for local mode and tests. The CDK stack reads the same attributes, so they cannot
// drift.
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  QueueDoesNotExist,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import {
  DEAD_LETTERS,
  deadLettersName,
  INGEST_QUEUE,
  ingestDeadLettersName,
  ingestName,
  NOTIFY_QUEUE,
  notifyDeadLettersName,
  notifyName,
  WORK_QUEUE,
  workQueueName,
} from './queue-attributes.ts';

export * from './queue-attributes.ts';

export interface QueueUrls {
  readonly queueUrls: string[];
  readonly deadLetterUrl: string;
}

/** Creates the missing work queues. Existing queues are not changed. */
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

/** Creates the ingest queue if it is missing. */
export async function createIngestQueues(client: SQSClient, prefix: string): Promise<IngestUrls> {
  const { url: ingestDeadLetterUrl, arn } = await ensureDeadLetters(client, ingestDeadLettersName(prefix));
  const ingestUrl = await ensure(client, ingestName(prefix), attributesOf(INGEST_QUEUE, arn));
  return { ingestUrl, ingestDeadLetterUrl };
}

export interface NotifyUrls {
  readonly notifyUrl: string;
  readonly notifyDeadLetterUrl: string;
}

/** Creates the notify queue if it is missing. */
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
  if (!QueueUrl) throw new Error(`CreateQueue returned no URL for the queue ${name}`);
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
