// Batch requests that DynamoDB may process only in part. Unprocessed items are retried with backoff.
import { backoffMs } from '../../concurrency/backoff.ts';
import { chunksOf, forEachLimit } from '../../concurrency/map-limit.ts';
import type { StopSignal } from '../../concurrency/stopper.ts';

/** The time of the store: pauses between the rounds of a batch, and waits of a batch for further calls. */
export interface Pauses {
  /** In [0, 1). Spreads the retries of callers that were throttled together. */
  random(): number;
  sleep(ms: number, signal?: StopSignal): Promise<void>;
}

const BACKOFF = { baseMs: 25, maxMs: 2_000 };
/** Rounds in a row without progress, about 10 s in total. A writer's deadline is 30 s. */
const MAX_IDLE_ROUNDS = 10;
/** Batches of one call in flight. */
const MAX_IN_FLIGHT = 8;

export class Unprocessed extends Error {
  override readonly name = 'Unprocessed';
  readonly left: number;
  constructor(operation: string, left: number) {
    super(`${operation}: DynamoDB processed none of ${left} items in ${MAX_IDLE_ROUNDS} attempts`);
    this.left = left;
  }
}

/**
 * Splits `items` into batches of `size` and passes each to `process`, which returns the unprocessed items. Rejects if a batch
 * makes no progress or `process` throws. Other batches may have been processed by then.
 */
export async function inBatches<T>(
  operation: string,
  items: readonly T[],
  size: number,
  pauses: Pauses,
  process: (batch: T[]) => Promise<T[]>,
): Promise<void> {
  await forEachLimit(chunksOf(items, size), MAX_IN_FLIGHT, async (batch) => {
    let left = await process(batch);
    for (let round = 1, idle = 0; left.length > 0; round++) {
      await pauses.sleep(backoffMs(BACKOFF, round, pauses.random()));
      const before = left.length;
      left = await process(left);
      idle = left.length < before ? 0 : idle + 1;
      if (idle === MAX_IDLE_ROUNDS) throw new Unprocessed(operation, left.length);
    }
  });
}
