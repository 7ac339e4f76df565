// Virtual time. The clock stands still while code runs, and then jumps to the next sleeper. A month passes in seconds.
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../scheduling/context.ts';

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** A task that does not return within this real time is reported. */
const MAX_REAL_WAIT_MS = 5_000;

export class VirtualClock implements Clock {
  #now: number;
  readonly #start: number;
  /** Sleepers by the time at which they wake. */
  readonly #sleepers = new Map<number, Set<Sleeper>>();
  /** The times of `#sleepers`, ascending. */
  #times: number[] = [];
  /** The work that runs in real time, with its name. Virtual time stands still until it has ended. */
  readonly #busy = new Map<object, string>();
  #changed = Promise.withResolvers<void>();

  constructor(start: number) {
    this.#now = start;
    this.#start = start;
  }

  now = (): number => this.#now;
  monotonic = (): number => this.#now - this.#start;

  sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (signal?.aborted || !(ms > 0)) return Promise.resolve();
    return new Promise((resolve) => {
      const at = this.#now + Math.ceil(ms);
      const sleeper: Sleeper = {
        at,
        wake: () => {
          this.#remove(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      signal?.addEventListener('abort', sleeper.wake, { once: true });
      this.#add(sleeper);
    });
  };

  /** Runs `work` in real time. Within `work`, virtual time passes only in `pause`, also while several of them last at once. */
  async inRealTime<T>(
    name: string,
    work: (pause: (ms: number, signal: AbortSignal) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const key = {};
    const begin = () => this.#busy.set(key, name);
    const end = () => {
      this.#busy.delete(key);
      this.#changed.resolve();
    };
    let pauses = 0;
    let isOver = false;
    begin();
    try {
      return await work(async (ms, signal) => {
        const slept = this.sleep(ms, signal);
        pauses++;
        end();
        await slept;
        pauses--;
        if (pauses === 0 && !isOver) begin();
      });
    } finally {
      isOver = true;
      end();
    }
  }

  /** Moves the clock to `end`, and stops at the time of every sleeper on the way. */
  async advanceTo(end: number): Promise<void> {
    for (;;) {
      // no code below waits for anything but promises and virtual time, so one turn of the event loop runs all of it
      await turn();
      if (this.#busy.size > 0) {
        await this.#realTime();
        continue;
      }
      const [next] = this.#times;
      if (next === undefined || next > end) break;
      this.#now = Math.max(this.#now, next);
      for (const sleeper of this.#sleepers.get(next) ?? []) sleeper.wake();
    }
    this.#now = Math.max(this.#now, end);
  }

  async #realTime(): Promise<void> {
    this.#changed = Promise.withResolvers();
    let timeout: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timeout = setTimeout(
        () =>
          reject(
            new Error(
              `${[...this.#busy.values()].join(', ')} did not return within ${MAX_REAL_WAIT_MS / 1000} s of real time; to let virtual time pass, call sleep of the task's context`,
            ),
          ),
        MAX_REAL_WAIT_MS,
      );
    });
    try {
      await Promise.race([this.#changed.promise, tooLong]);
    } finally {
      clearTimeout(timeout);
    }
  }

  #add(sleeper: Sleeper): void {
    const same = this.#sleepers.get(sleeper.at);
    if (same) {
      same.add(sleeper);
      return;
    }
    this.#sleepers.set(sleeper.at, new Set([sleeper]));
    const index = this.#times.findIndex((time) => time > sleeper.at);
    this.#times.splice(index < 0 ? this.#times.length : index, 0, sleeper.at);
  }

  #remove(sleeper: Sleeper): void {
    const same = this.#sleepers.get(sleeper.at);
    same?.delete(sleeper);
    if (same?.size !== 0) return;
    this.#sleepers.delete(sleeper.at);
    this.#times = this.#times.filter((time) => time !== sleeper.at);
  }
}
