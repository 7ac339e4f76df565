// Finds the URLs of the queues by their names. A worker never creates queues. A missing one is a mistake of the deployment.
import { GetQueueUrlCommand, QueueDoesNotExist, type SQSClient } from '@aws-sdk/client-sqs';
import { deadLettersName, type QueueUrls, workQueueName } from '../queue/sqs/queue-definitions.ts';
import { ConfigError } from '../runtime/config.ts';
import type { WorkerConfig } from './config.ts';

export async function findQueues(client: SQSClient, config: WorkerConfig): Promise<QueueUrls> {
  const { prefix, queues, queueUrls, deadLetterUrl } = config;
  const names = Array.from({ length: queues }, (_, index) => workQueueName(prefix, index));
  return {
    queueUrls: queueUrls ? [...queueUrls] : await Promise.all(names.map((name) => urlOf(client, name))),
    deadLetterUrl: deadLetterUrl ?? (await urlOf(client, deadLettersName(prefix))),
  };
}

async function urlOf(client: SQSClient, name: string): Promise<string> {
  try {
    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
    if (QueueUrl) return QueueUrl;
  } catch (error) {
    if (!(error instanceof QueueDoesNotExist)) throw error;
  }
  throw new ConfigError(
    `there is no queue ${name}: PUNCTUAL_PREFIX and PUNCTUAL_QUEUES must be those of the deployment`,
  );
}
