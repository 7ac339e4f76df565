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

export const workQueueName = (prefix: string, index: number): string => `${prefix}work-${index}`;
export const deadLettersName = (prefix: string): string => `${prefix}dead-letters`;

export interface QueueUrls {
  readonly queueUrls: string[];
  readonly deadLetterUrl: string;
}

/** Creates the queues that are missing. Those that exist are left as they are. */
export async function createQueues(client: SQSClient, prefix: string, count: number): Promise<QueueUrls> {
  const deadLetterUrl = await ensure(client, deadLettersName(prefix), {
    VisibilityTimeout: String(DEAD_LETTERS.visibilitySeconds),
    MessageRetentionPeriod: String(DEAD_LETTERS.retentionSeconds),
  });
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterUrl, AttributeNames: ['QueueArn'] }),
  );
  const RedrivePolicy = JSON.stringify({
    deadLetterTargetArn: Attributes?.QueueArn,
    maxReceiveCount: WORK_QUEUE.maxReceiveCount,
  });
  const queueUrls = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      ensure(client, workQueueName(prefix, index), {
        VisibilityTimeout: String(WORK_QUEUE.visibilitySeconds),
        MessageRetentionPeriod: String(WORK_QUEUE.retentionSeconds),
        RedrivePolicy,
      }),
    ),
  );
  return { queueUrls, deadLetterUrl };
}

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
