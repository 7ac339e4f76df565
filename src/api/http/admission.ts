// Admission control: when the store cannot keep up, writes are refused with 503 within half a second instead of piling up
// until they time out. The number of writes under way is limited, and the limit follows their duration: it grows slowly
// while they are fast and shrinks quickly while they are slow (additive increase, multiplicative decrease, as in TCP).
import type { Clock, Log } from '../../scheduling/context.ts';
import { Unavailable } from './request-errors.ts';

/** A write that waited longer for admission is refused. */
const MAX_WAIT_MS = 500;
/** A write that takes longer is a sign of overload: with the wait it stays below a second. */
const SLOW_MS = 400;
const MIN_LIMIT = 4;
const MAX_LIMIT = 512;
const FIRST_LIMIT = 64;
const DECREASE = 0.9;
/** The limit shrinks at most once in this time: the writes that were under way together are one sign, not many. */
const DECREASE_EVERY_MS = 100;

export class Overloaded extends Unavailable {}

export type Admission = <T>(operationId: string, write: () => Promise<T>) => Promise<T>;

/** No limit: on Lambda every container has one request at a time. */
export const unlimitedAdmission: Admission = (_operationId, write) => write();

/**
 * The writes whose duration is the store's. A pause, an edit or a cancel may wait for a run that is about to start.
 */
const MEASURED = new Set(['createJob', 'runJob']);
/** Writes of many items take long by nature: they have a limit of their own, so that they leave room for single writes. */
const LONG = new Set(['createJobs', 'backfillJob', 'redriveDeadLetters']);
const MAX_LONG = 64;

export function createAdmission({ clock, log }: { clock: Clock; log: Log }): Admission {
  let limit = FIRST_LIMIT;
  let underWay = 0;
  let decreasedAt = Number.NEGATIVE_INFINITY;
  const waiting: { admit(): void }[] = [];

  async function enter(): Promise<void> {
    if (underWay < limit) {
      underWay++;
      return;
    }
    const admitted = new AbortController();
    const place = { admit: () => admitted.abort() };
    // more than the limit could not be admitted within the wait
    if (waiting.length < limit) {
      waiting.push(place);
      await clock.sleep(MAX_WAIT_MS, admitted.signal);
      if (admitted.signal.aborted) return;
      waiting.splice(waiting.indexOf(place), 1);
    }
    log.warn('refused a write: the store does not keep up', { underWay, limit: Math.floor(limit) });
    throw new Overloaded('the service has more writes than its store can take; try again shortly');
  }

  /** `took` is undefined where the duration says nothing about the store. */
  function leave(took: number | undefined): void {
    const now = clock.monotonic();
    if (took === undefined) {
      // the limit stays as it is
    } else if (took <= SLOW_MS) {
      // a limit that is not used says nothing about what the store could take
      if (underWay >= limit / 2) limit = Math.min(MAX_LIMIT, limit + 1 / limit);
    } else if (now - decreasedAt >= DECREASE_EVERY_MS) {
      limit = Math.max(MIN_LIMIT, limit * DECREASE);
      decreasedAt = now;
    }
    underWay--;
    while (underWay < limit) {
      const next = waiting.shift();
      if (!next) return;
      underWay++;
      next.admit();
    }
  }

  let long = 0;
  const longWrite: <T>(write: () => Promise<T>) => Promise<T> = async (write) => {
    if (long >= MAX_LONG)
      throw new Overloaded(
        `at most ${MAX_LONG} batches, backfills and redrives run at once; try again shortly`,
      );
    long++;
    try {
      return await write();
    } finally {
      long--;
    }
  };

  return async (operationId, write) => {
    if (LONG.has(operationId)) return longWrite(write);
    await enter();
    const began = clock.monotonic();
    try {
      return await write();
    } finally {
      leave(MEASURED.has(operationId) ? clock.monotonic() - began : undefined);
    }
  };
}
