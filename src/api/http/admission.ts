// Admission control: if the store cannot keep up, writes are refused with 503 within `MAX_WAIT_MS` instead of timing out in
// a growing queue. The limit of concurrent writes follows their duration. It grows slowly while writes are fast, and shrinks
// quickly while they are slow (additive increase, multiplicative decrease, as in TCP).
import type { Clock, Log } from '../../scheduling/context.ts';
import { Unavailable } from './request-errors.ts';

/** The maximum wait for admission. After it, a write is refused. */
const MAX_WAIT_MS = 500;
/** A write that takes longer indicates overload. Together with the wait, the duration stays below 1 s. */
const SLOW_MS = 400;
const MIN_LIMIT = 4;
const MAX_LIMIT = 512;
const INITIAL_LIMIT = 64;
const DECREASE_FACTOR = 0.9;
/** The minimum time between two decreases, because concurrent slow writes are one sign of overload. */
const DECREASE_INTERVAL_MS = 100;

export class Overloaded extends Unavailable {}

export type Admission = <T>(operationId: string, write: () => Promise<T>) => Promise<T>;

/** Admits every write. Used on Lambda, where a container handles one request at a time. */
export const unlimitedAdmission: Admission = (_operationId, write) => write();

/**
 * The writes whose duration shows the speed of the store. The others may wait for something else: a pause, an edit or a
 * cancel waits for a run that is about to start.
 */
const MEASURED = new Set(['createJob', 'runJob']);
/** Operations that write many items. They have their own limit, so that they leave capacity for single writes. */
const LONG_WRITES = new Set(['createJobs', 'backfillJob', 'redriveDeadLetters']);
const MAX_LONG_WRITES = 64;

export function createAdmission({ clock, log }: { clock: Clock; log: Log }): Admission {
  let limit = INITIAL_LIMIT;
  let active = 0;
  let decreasedAt = Number.NEGATIVE_INFINITY;
  const waiting: { admit(): void }[] = [];

  async function enter(): Promise<void> {
    if (active < limit) {
      active++;
      return;
    }
    const admitted = new AbortController();
    const waiter = { admit: () => admitted.abort() };
    // A longer queue could not be admitted within the maximum wait.
    if (waiting.length < limit) {
      waiting.push(waiter);
      await clock.sleep(MAX_WAIT_MS, admitted.signal);
      if (admitted.signal.aborted) return;
      waiting.splice(waiting.indexOf(waiter), 1);
    }
    log.warn('refused a write: the store cannot keep up', { underWay: active, limit: Math.floor(limit) });
    throw new Overloaded('the service is overloaded; try again later');
  }

  /** `durationMs` is undefined if it says nothing about the store. Then the limit stays. */
  function leave(durationMs: number | undefined): void {
    const now = clock.monotonic();
    if (durationMs !== undefined && durationMs <= SLOW_MS) {
      // A limit that is not used says nothing about the capacity of the store.
      if (active >= limit / 2) limit = Math.min(MAX_LIMIT, limit + 1 / limit);
    } else if (durationMs !== undefined && now - decreasedAt >= DECREASE_INTERVAL_MS) {
      limit = Math.max(MIN_LIMIT, limit * DECREASE_FACTOR);
      decreasedAt = now;
    }
    active--;
    while (active < limit) {
      const next = waiting.shift();
      if (!next) return;
      active++;
      next.admit();
    }
  }

  let activeLongWrites = 0;
  const longWrite: <T>(write: () => Promise<T>) => Promise<T> = async (write) => {
    if (activeLongWrites >= MAX_LONG_WRITES)
      throw new Overloaded(
        `at most ${MAX_LONG_WRITES} batches, backfills and redrives run concurrently; try again later`,
      );
    activeLongWrites++;
    try {
      return await write();
    } finally {
      activeLongWrites--;
    }
  };

  return async (operationId, write) => {
    if (LONG_WRITES.has(operationId)) return longWrite(write);
    await enter();
    const startedAt = clock.monotonic();
    try {
      return await write();
    } finally {
      leave(MEASURED.has(operationId) ? clock.monotonic() - startedAt : undefined);
    }
  };
}
