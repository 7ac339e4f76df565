// The part of a clock that queues and the functions of this folder use.
import type { StopSignal } from './stopper.ts';

export interface Timer {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or when the signal is aborted. */
  sleep(ms: number, signal?: StopSignal): Promise<void>;
}
