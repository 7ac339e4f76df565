// The Queue port on SQS: one sender for all work queues, one receiver per work queue.
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Timer } from '../../concurrency/timer.ts';
import type { Queue, Receiver } from '../queue.ts';
import { WORK_QUEUE } from './queue-definitions.ts';
import { createReceiver } from './receiver.ts';
import type { RequestMeter } from './send-batch.ts';
import { createSender } from './sender.ts';

export interface SqsOptions {
  readonly client: SQSClient;
  /** For long polls. Default: `client`. */
  readonly pollClient?: SQSClient;
  /** The URLs of the work queues, in the same order in every process. A hash of the job id selects the queue. */
  readonly queueUrls: readonly string[];
  readonly deadLetterUrl: string;
  /** The visibility timeout: the length of a lease. Default: the queue's own. */
  readonly visibilityMs?: number;
  readonly clock: Timer;
  readonly meter?: RequestMeter;
}

export interface Sqs {
  readonly queue: Queue;
  /** One per queue URL, in the same order. */
  readonly receivers: readonly Receiver[];
}

export function createSqs(options: SqsOptions): Sqs {
  const { client, pollClient, queueUrls, deadLetterUrl, visibilityMs, clock, meter } = options;
  if (queueUrls.length === 0) throw new Error('at least one work queue is required');
  const common = { client, timer: clock, meter };
  return {
    queue: createSender({ ...common, queueUrls }),
    receivers: queueUrls.map((queueUrl) =>
      createReceiver({
        ...common,
        pollClient: pollClient ?? client,
        ...{ queueUrl, deadLetterUrl, visibilityMs },
        maxReceives: WORK_QUEUE.maxReceiveCount,
      }),
    ),
  };
}
