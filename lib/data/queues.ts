// The queues: work, ingest and notify with their dead-letter queues, and failed passes. Local mode creates its queues
// from the same definitions.
import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
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
} from '../../src/queue/sqs/queue-attributes.ts';

export interface QueuesProps {
  /** The prefix of the names of queues. */
  readonly prefix: string;
  /** The number of work queues. */
  readonly count: number;
  /**
   * The key that encrypts the messages.
   * @default - a key that SQS owns
   */
  readonly encryptionKey?: IKey;
}

export class Queues extends Construct {
  /** The order matters, because a job's id decides the index of its queue. */
  readonly work: readonly Queue[];
  readonly deadLetters: Queue;
  readonly ingest: Queue;
  readonly ingestDeadLetters: Queue;
  /** Candidate notifications, which the notifier verifies. */
  readonly notify: Queue;
  readonly notifyDeadLetters: Queue;
  /** Passes of the watcher that failed. */
  readonly failedPasses: Queue;

  constructor(scope: Construct, id: string, { prefix, count, encryptionKey }: QueuesProps) {
    super(scope, id);
    const queue = (
      name: string,
      queueName: string,
      settings: { readonly visibilitySeconds: number; readonly retentionSeconds: number },
      deadLetterQueue?: { readonly queue: Queue; readonly maxReceiveCount: number },
    ) =>
      new Queue(this, name, {
        queueName,
        visibilityTimeout: Duration.seconds(settings.visibilitySeconds),
        retentionPeriod: Duration.seconds(settings.retentionSeconds),
        encryption: encryptionKey ? QueueEncryption.KMS : QueueEncryption.SQS_MANAGED,
        encryptionMasterKey: encryptionKey,
        enforceSSL: true,
        deadLetterQueue,
      });

    this.deadLetters = queue('DeadLetters', deadLettersName(prefix), DEAD_LETTERS);
    const unhandled = { queue: this.deadLetters, maxReceiveCount: WORK_QUEUE.maxReceiveCount };
    this.work = Array.from({ length: count }, (_, index) =>
      queue(`Work${index}`, workQueueName(prefix, index), WORK_QUEUE, unhandled),
    );
    this.ingestDeadLetters = queue('IngestDeadLetters', ingestDeadLettersName(prefix), DEAD_LETTERS);
    this.ingest = queue('Ingest', ingestName(prefix), INGEST_QUEUE, {
      queue: this.ingestDeadLetters,
      maxReceiveCount: INGEST_QUEUE.maxReceiveCount,
    });
    this.notifyDeadLetters = queue('NotifyDeadLetters', notifyDeadLettersName(prefix), DEAD_LETTERS);
    this.notify = queue('Notify', notifyName(prefix), NOTIFY_QUEUE, {
      queue: this.notifyDeadLetters,
      maxReceiveCount: NOTIFY_QUEUE.maxReceiveCount,
    });
    this.failedPasses = queue('FailedPasses', `${prefix}failed-passes`, DEAD_LETTERS);
  }
}
