// A promise with a deadline. A call that hangs does not block its caller.
import type { Timer } from './timer.ts';

/** The reason of the abort that ends the timer. An abort without a reason creates an error with a stack trace each time. */
const SETTLED = new Error('the promise has settled');

export interface DeadlineOptions {
  readonly timer: Timer;
  readonly ms: number;
  /** Ends the wait before the deadline. */
  readonly signal?: AbortSignal;
}

/**
 * Settles like `promise`. If the promise is pending after `ms`, or when the signal is aborted, it settles like `onDeadline`.
 * The promise itself is not cancelled, and its later rejection is ignored.
 */
export async function withDeadline<T, Late>(
  promise: Promise<T>,
  { timer, ms, signal }: DeadlineOptions,
  onDeadline: () => Late,
): Promise<T | Late> {
  const settled = new AbortController();
  const until = signal ? AbortSignal.any([settled.signal, signal]) : settled.signal;
  const late = timer.sleep(ms, until).then<T | Late>(() => (settled.signal.aborted ? promise : onDeadline()));
  try {
    return await Promise.race([promise, late]);
  } finally {
    settled.abort(SETTLED);
  }
}
