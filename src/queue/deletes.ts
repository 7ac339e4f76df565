// Deletes that are asked for at about the same time go in one request; each caller still learns of its own failure.
import { DeleteMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { BATCH, type RequestMeter, sendBatch, type Timer } from './batch.ts';

/**
 * How long the first waits for others. A delete is not urgent (the message is hidden for 30 s more), a request is paid for;
 * from 20 a second on a batch is full before this is over.
 */
const COALESCE_MS = 500;

interface Pending {
  readonly handle: string;
  resolve(): void;
  reject(error: unknown): void;
}

export interface DeletesOptions {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly timer: Timer;
  readonly meter?: RequestMeter;
}

/** 1 request per 10 deletes that come together. */
export function createDeletes({
  client,
  queueUrl,
  timer,
  meter,
}: DeletesOptions): (handle: string) => Promise<void> {
  let waiting: Pending[] = [];

  async function flush(batch: Pending[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const failures = await sendBatch('DeleteMessageBatch', batch, timer, async (entries) => {
        meter?.('DeleteMessageBatch', entries.length);
        const Entries = entries.map(({ id, entry }) => ({ Id: id, ReceiptHandle: entry.handle }));
        const command = new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries });
        return (await client.send(command)).Failed ?? [];
      });
      for (const one of batch) {
        const failure = failures.get(one);
        if (failure) one.reject(failure);
        else one.resolve();
      }
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  return (handle) =>
    new Promise((resolve, reject) => {
      waiting.push({ handle, resolve, reject });
      const batch = waiting;
      if (batch.length === 1) {
        void timer.sleep(COALESCE_MS).then(() => {
          // it may have been full and gone before
          if (waiting !== batch) return;
          waiting = [];
          void flush(batch);
        });
      }
      if (batch.length === BATCH) {
        waiting = [];
        void flush(batch);
      }
    });
}
