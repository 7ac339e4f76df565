// A clock that stands still until a test moves it. Sleepers wake in the order of their times.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/scheduling/context.ts';

export const NOON = Date.parse('2026-12-01T12:00:00Z');
export const MINUTE = 60_000;

/** An instant of the day of the tests, such as `at('12:01:30')`. */
export const at = (time: string): number => Date.parse(`2026-12-01T${time}Z`);

/** Lets all promises settle that wait for no time. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await turn();
}

export class StandingClock implements Clock {
  #now: number;
  readonly #start: number;
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();
  /** How far the machine's clock is ahead of the reference clock, in milliseconds. */
  off = 0;

  constructor(start = NOON) {
    this.#now = start;
    this.#start = start;
  }

  now = () => this.#now;
  offBy = () => this.off;
  monotonic = () => this.#now - this.#start;

  /** The number of sleepers that have not woken. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted || !(ms > 0)) return resolve();
      const sleeper = {
        at: this.#now + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      signal?.addEventListener('abort', sleeper.wake);
      this.#sleepers.add(sleeper);
    });

  /** Moves the clock by `ms` and stops at the time of every sleeper on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = Math.min(...[...this.#sleepers].map(({ at }) => at));
      if (next > end) break;
      this.#now = Math.max(this.#now, next);
      for (const sleeper of [...this.#sleepers]) if (sleeper.at <= this.#now) sleeper.wake();
      await settle();
    }
    this.#now = end;
  }
}
