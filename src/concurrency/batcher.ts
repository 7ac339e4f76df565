// Sends calls that arrive at about the same time as one request. Each caller gets its own result.
//
// Without `lingerMs` a call is sent at the end of the current turn of the event loop, so an idle process has no extra latency.
// While `maxInFlight` requests are in flight, further calls collect. Batches therefore grow with the load.

import { Stopper } from './stopper.ts';
import type { Timer } from './timer.ts';

export interface BatcherOptions<Call> {
  readonly timer: Pick<Timer, 'sleep'>;
  /** Calls in one request. */
  readonly maxCalls: number;
  /** Requests in flight, not counting stalled ones. Unlimited if absent. */
  readonly maxInFlight?: number;
  /** A request without a response after this time is stalled and no longer blocks others. Never stalled if absent. */
  readonly stallMs?: number;
  /** How long the first call of a batch waits for others. A full batch does not wait. Absent: until the end of the turn. */
  readonly lingerMs?: number;
  /** Calls with the same key are never in one request: the second one waits for the next. Absent: no such rule. */
  keyOf?(call: Call): string;
}

/** Sends 1 to `maxCalls` calls. Returns their results in the same order. A rejection is the result of every call. */
export type SendBatch<Call, Result> = (calls: readonly Call[]) => Promise<PromiseSettledResult<Result>[]>;

interface Pending<Call, Result> {
  readonly call: Call;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export function createBatcher<Call, Result>(
  { timer, maxCalls, maxInFlight = Number.POSITIVE_INFINITY, stallMs, lingerMs, keyOf }: BatcherOptions<Call>,
  send: SendBatch<Call, Result>,
): (call: Call) => Promise<Result> {
  let waiting: Pending<Call, Result>[] = [];
  let inFlight = 0;
  let cancelFlush: (() => void) | undefined;

  function scheduleFlush(): void {
    if (cancelFlush) return;
    if (lingerMs === undefined) {
      // the end of the turn is no time: what arrives in one turn shares a request, also in virtual time
      const immediate = setImmediate(flush);
      cancelFlush = () => clearImmediate(immediate);
    } else {
      const flushed = new Stopper();
      cancelFlush = () => flushed.stop();
      void timer.sleep(lingerMs, flushed).then(() => {
        if (!flushed.aborted) flush();
      });
    }
  }

  function flush(): void {
    cancelFlush?.();
    cancelFlush = undefined;
    while (waiting.length > 0 && inFlight < maxInFlight) void sendOne(nextBatch());
  }

  function nextBatch(): Pending<Call, Result>[] {
    if (!keyOf) return waiting.splice(0, maxCalls);
    const batch = new Map<string, Pending<Call, Result>>();
    const sameKey: Pending<Call, Result>[] = [];
    let next = 0;
    for (; next < waiting.length && batch.size < maxCalls; next++) {
      const pending = waiting[next] as Pending<Call, Result>;
      const key = keyOf(pending.call);
      if (batch.has(key)) sameKey.push(pending);
      else batch.set(key, pending);
    }
    waiting = [...sameKey, ...waiting.slice(next)];
    return [...batch.values()];
  }

  async function sendOne(batch: Pending<Call, Result>[]): Promise<void> {
    inFlight++;
    let counted = true;
    const leave = () => {
      if (counted) inFlight--;
      counted = false;
      if (waiting.length > 0) scheduleFlush();
    };
    const answered = new Stopper();
    if (stallMs !== undefined) void timer.sleep(stallMs, answered).then(leave);
    try {
      const results = await send(batch.map(({ call }) => call));
      for (const [i, { resolve, reject }] of batch.entries()) {
        const result = results[i];
        if (result?.status === 'fulfilled') resolve(result.value);
        else reject(result?.reason ?? new Error('the response has fewer results than the request has calls'));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      answered.stop();
      leave();
    }
  }

  return (call) =>
    new Promise((resolve, reject) => {
      waiting.push({ call, resolve, reject });
      if (lingerMs !== undefined && waiting.length >= maxCalls) flush();
      else scheduleFlush();
    });
}
