// A clock that a test moves.
import type { Timer } from '../../../src/queue/batch.ts';

interface Sleeper {
  readonly at: number;
  wake(): void;
}

export class ManualTimer implements Timer {
  #now: number;
  readonly #sleepers = new Set<Sleeper>();

  constructor(now: number) {
    this.#now = now;
  }

  now = (): number => this.#now;

  sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper = {
        at: this.#now + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  };

  /** Timers that have been set and not rung. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Goes on by `ms`, timer after timer, and lets what they wake go on in between. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const next = [...this.#sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#now = next.at;
      next.wake();
    }
    this.#now = end;
    await settled();
  }
}

/** Everything that can go on without time passing has done so. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
