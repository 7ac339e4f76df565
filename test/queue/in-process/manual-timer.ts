// A clock that a test moves.
import type { Timer } from '../../../src/queue/sqs/send-batch.ts';

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

  /** Number of timers that have not fired. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Moves the clock by `ms`, timer after timer. */
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

/** Resolves when all promises that need no time are settled. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
