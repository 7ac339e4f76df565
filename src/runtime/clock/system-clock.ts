// The clock of the machine.
import { uptime } from 'node:os';
import { Stopper, type StopSignal } from '../../concurrency/stopper.ts';
import type { Clock } from '../../scheduling/context.ts';

/** The maximum delay of `setTimeout`. A longer one fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock & { uptime(): number } = {
  now: () => Date.now(),
  monotonic: () => performance.now(),

  /** Milliseconds since the machine was booted. 0 if the platform does not report it. */
  uptime() {
    try {
      return uptime() * 1000;
    } catch {
      return 0;
    }
  },

  // libuv counts whole milliseconds and may fire a timer up to 1 ms early, so the end is checked by the clock
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted || !(ms > 0)) return resolve();
      const end = performance.now() + ms;
      let timer: NodeJS.Timeout | undefined;
      const done = () => {
        clearTimeout(timer);
        if (signal) sleepersOf(signal).delete(done);
        resolve();
      };
      const wait = () => {
        const left = end - performance.now();
        if (left <= 0) return done();
        timer = setTimeout(wait, Math.min(Math.ceil(left), MAX_TIMER_MS));
      };
      if (signal) sleepersOf(signal).add(done);
      wait();
    }),
};

/**
 * The sleepers of each signal share one listener. Thousands of messages sleep until the same signal, and an event target
 * searches all its listeners to add or remove one.
 */
const sleepers = new WeakMap<StopSignal, Set<() => void>>();

function sleepersOf(signal: StopSignal): Set<() => void> {
  if (signal instanceof Stopper) return signal.listeners;
  const known = sleepers.get(signal);
  if (known) return known;
  const waking = new Set<() => void>();
  sleepers.set(signal, waking);
  const wakeAll = () => {
    for (const wake of waking) wake();
  };
  signal.addEventListener('abort', wakeAll, { once: true });
  return waking;
}
