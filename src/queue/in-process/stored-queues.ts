// The ingest and notify queues of an embedded server. Accepted jobs and pending notifications outlive the process.

import type { Timer } from '../../concurrency/timer.ts';
import type { IngestQueue } from '../ingest-queue.ts';
import type { NotifyQueue } from '../notify-queue.ts';
import type { Receiver } from '../queue.ts';
import { DEAD_LETTERS, INGEST_QUEUE, NOTIFY_QUEUE } from '../sqs/queue-definitions.ts';
import { createDurableQueue, type MessageTable } from './durable-queue.ts';

export interface StoredQueuesOptions {
  readonly table: MessageTable;
  readonly timer: Timer;
  /** A fresh id for a receipt. */
  id(): string;
}

export interface StoredQueues {
  readonly ingest: { readonly queue: IngestQueue; readonly receiver: Receiver };
  readonly notify: { readonly queue: NotifyQueue; readonly receiver: Receiver };
}

export function createStoredQueues(options: StoredQueuesOptions): StoredQueues {
  const deadLetterRetentionSeconds = DEAD_LETTERS.retentionSeconds;
  const open = (name: string, settings: typeof INGEST_QUEUE | typeof NOTIFY_QUEUE) =>
    createDurableQueue({
      ...options,
      ...settings,
      name,
      deadLetters: `${name}-dead-letters`,
      deadLetterRetentionSeconds,
    });
  const ingest = open('ingest', INGEST_QUEUE);
  const notify = open('notify', NOTIFY_QUEUE);
  return {
    ingest: {
      queue: {
        async send(message) {
          await ingest.send([JSON.stringify(message)]);
          return true;
        },
      },
      receiver: ingest.receiver,
    },
    notify: {
      queue: {
        send: (messages, delayMs) =>
          notify.send(
            messages.map((one) => JSON.stringify(one)),
            delayMs,
          ),
      },
      receiver: notify.receiver,
    },
  };
}
