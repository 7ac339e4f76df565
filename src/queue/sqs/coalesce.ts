// Deletes and changes of visibility that are asked for at about the same time go in one request; each caller still learns of
// its own failure.
import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';
import { BATCH, sendBatch, type Timer } from './send-batch.ts';

export interface CoalesceOptions {
  /** As failures name it. */
  readonly operation: string;
  /** How long the first waits for others. */
  readonly waitMs: number;
  readonly timer: Timer;
}

interface Pending<T> {
  readonly entry: T;
  resolve(): void;
  reject(error: unknown): void;
}

/** 1 request per 10 that come together. `request` names those that failed by their id. */
export function coalesce<T>(
  { operation, waitMs, timer }: CoalesceOptions,
  request: (entries: { id: string; entry: T }[]) => Promise<readonly BatchResultErrorEntry[]>,
): (entry: T) => Promise<void> {
  let waiting: Pending<T>[] = [];

  async function flush(batch: Pending<T>[]): Promise<void> {
    if (batch.length === 0) return;
    try {
      const failures = await sendBatch(operation, batch, timer, (entries) =>
        request(entries.map(({ id, entry }) => ({ id, entry: entry.entry }))),
      );
      for (const one of batch) {
        const failure = failures.get(one);
        if (failure) one.reject(failure);
        else one.resolve();
      }
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  }

  return (entry) =>
    new Promise((resolve, reject) => {
      waiting.push({ entry, resolve, reject });
      const batch = waiting;
      if (batch.length === 1) {
        void timer.sleep(waitMs).then(() => {
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
