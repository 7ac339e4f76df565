// The queue on SQS: one sender over all work queues, one inbox per work queue.
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Timer } from '../../concurrency/timer.ts';
import type { Queue, Receiver } from '../queue.ts';
import { createReceiver } from './receiver.ts';
import type { RequestMeter } from './send-batch.ts';
import { createSender } from './sender.ts';

export interface SqsOptions {
  readonly client: SQSClient;
  /** For long polls. Default: `client`. */
  readonly pollClient?: SQSClient;
  /** Of the work queues, in the same order everywhere: a job's queue is chosen by hash. */
  readonly queueUrls: readonly string[];
  readonly deadLetterUrl: string;
  /** A lease's length: a worker that dies then costs no more, whatever the queue was made with. */
  readonly visibilityMs?: number;
  readonly clock: Timer;
  readonly meter?: RequestMeter;
}

export interface Sqs {
  readonly queue: Queue;
  /** One per queue url, in their order. */
  readonly inboxes: readonly Receiver[];
}

export function createSqs(options: SqsOptions): Sqs {
  const { client, pollClient, queueUrls, deadLetterUrl, visibilityMs, clock, meter } = options;
  if (queueUrls.length === 0) throw new Error('there must be at least one work queue');
  const common = { client, timer: clock, meter };
  return {
    queue: createSender({ ...common, queueUrls }),
    inboxes: queueUrls.map((queueUrl) =>
      createReceiver({ ...common, pollClient: pollClient ?? client, queueUrl, deadLetterUrl, visibilityMs }),
    ),
  };
}
