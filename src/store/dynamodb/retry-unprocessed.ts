// Batches that DynamoDB may take only in part: what was left over is tried again, with backoff, and never ignored.

export interface Backoff {
  /** In [0, 1): spreads the retries of those who were throttled together. */
  random(): number;
  sleep(ms: number): Promise<void>;
}

const FIRST_DELAY_MS = 25;
const MAX_DELAY_MS = 2_000;
/** Rounds in a row in which nothing at all was taken: about 10 s. A writer has 30 s. */
const MAX_IDLE_ROUNDS = 10;
/** Batches under way at once. */
const AT_ONCE = 8;

export class Unprocessed extends Error {
  override readonly name = 'Unprocessed';
  readonly left: number;
  constructor(operation: string, left: number) {
    super(`${operation}: DynamoDB took none of ${left} items in ${MAX_IDLE_ROUNDS} tries`);
    this.left = left;
  }
}

/**
 * Cuts `items` into batches and gives each to `process`, which returns what was not taken. Resolves when everything
 * was; rejects when one batch makes no progress or `process` throws (other batches may be done by then).
 */
export async function inBatches<T>(
  operation: string,
  items: readonly T[],
  size: number,
  backoff: Backoff,
  process: (batch: T[]) => Promise<T[]>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const batch = items.slice(next, next + size);
      next += size;
      await untilTaken(operation, batch, backoff, process).catch((error) => {
        failed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, Math.ceil(items.length / size)) }, worker));
}

async function untilTaken<T>(
  operation: string,
  batch: T[],
  backoff: Backoff,
  process: (batch: T[]) => Promise<T[]>,
): Promise<void> {
  let left = await process(batch);
  for (let round = 0, idle = 0; left.length > 0; round++) {
    const delay = Math.min(FIRST_DELAY_MS * 2 ** round, MAX_DELAY_MS);
    await backoff.sleep(delay * (0.5 + backoff.random() / 2));
    const before = left.length;
    left = await process(left);
    idle = left.length < before ? 0 : idle + 1;
    if (idle === MAX_IDLE_ROUNDS) throw new Unprocessed(operation, left.length);
  }
}
