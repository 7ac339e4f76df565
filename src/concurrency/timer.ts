// The part of a clock that queues and the functions of this folder use.

export interface Timer {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
