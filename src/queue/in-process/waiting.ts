// A sleep that `wake` ends early.
import type { Timer } from '../../concurrency/timer.ts';

export interface Waiting {
  /** Returns after `ms`, after an abort of the signal, or after `wake`. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Ends all waits of this moment. */
  wake(): void;
}

/** An abort with a reason of its own creates no exception. */
const WOKEN = 'woken';

export function createWaiting({ sleep }: Pick<Timer, 'sleep'>): Waiting {
  let woken = new AbortController();
  return {
    async wait(ms, signal) {
      const ended = new AbortController();
      const end = () => ended.abort(WOKEN);
      const { signal: soon } = woken;
      for (const one of [signal, soon]) one.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
      await sleep(ms, ended.signal);
      for (const one of [signal, soon]) one.removeEventListener('abort', end);
    },
    wake() {
      const before = woken;
      woken = new AbortController();
      before.abort(WOKEN);
    },
  };
}
