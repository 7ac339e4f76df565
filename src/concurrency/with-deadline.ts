// A promise with a deadline. A call that hangs does not block its caller.
import { Stopper, type StopSignal } from './stopper.ts';
import type { Timer } from './timer.ts';

export interface DeadlineOptions {
  readonly timer: Timer;
  readonly ms: number;
  /** Ends the wait before the deadline. */
  readonly signal?: StopSignal;
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
  const over = new Stopper();
  let isSettled = false;
  const stop = () => over.stop();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const late = timer.sleep(ms, over).then<T | Late>(() => (isSettled ? promise : onDeadline()));
  try {
    return await Promise.race([promise, late]);
  } finally {
    isSettled = true;
    signal?.removeEventListener('abort', stop);
    stop();
  }
}
