// The queues, from the settings that local mode creates its own with: work, what nobody can handle, jobs to be
// created, and what there may be to tell.
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
} from '../../src/queue/sqs/queue-definitions.ts';

export interface QueuesProps {
  /** Before every queue's name. */
  readonly prefix: string;
  /** How many work queues there are. */
  readonly count: number;
  /**
   * Encrypts the messages.
   * @default - a key that SQS owns
   */
  readonly encryptionKey?: IKey;
}

export class Queues extends Construct {
  /** In their order: a job's queue follows from its id. */
  readonly work: readonly Queue[];
  readonly deadLetters: Queue;
  readonly ingest: Queue;
  readonly ingestDeadLetters: Queue;
  /** What there may be to tell. */
  readonly notify: Queue;
  readonly notifyDeadLetters: Queue;
  /** Runs of the watcher that failed. */
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
