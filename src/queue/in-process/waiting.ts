// A sleep that something can end before its time.
import type { Timer } from '../batch.ts';

export interface Waiting {
  /** Until `ms` are over, the signal is aborted, or somebody wakes it. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Ends all that wait now. */
  wake(): void;
}

/** Why a sleep ends: with a reason of its own an abort makes no exception. */
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
