// How many requests to one host a worker has under way at once. A slow or dead host then takes its share of the worker's
// places and no more; docs/decisions/0011 says why this and not a circuit breaker.
import { Snooze } from '../task.ts';

export interface HostLimiterOptions {
  readonly perHost: number;
  /** How long one that finds no place waits for it, in case the host is quick. */
  readonly waitMs?: number;
  /** After how many seconds what found no place comes again. */
  readonly snoozeSeconds?: () => number;
}

interface Line {
  taken: number;
  readonly waiting: (() => void)[];
  /** When it last moved: when it began, or when a request ended. */
  movedAt: number;
}

export class HostLimiter {
  readonly #options: Required<HostLimiterOptions>;
  readonly #lines = new Map<string, Line>();

  constructor(options: HostLimiterOptions) {
    this.#options = {
      waitMs: 500,
      // spread out, so that those who were sent away together do not come back together
      snoozeSeconds: () => 2 + Math.random() * 6,
      ...options,
    };
  }

  /** Gives the function that leaves the place. Those who wait take up places of the worker too, so they are as few. */
  async acquire(host: string, signal: AbortSignal): Promise<() => void> {
    const { perHost, waitMs } = this.#options;
    const line = this.#lines.get(host) ?? { taken: 0, waiting: [], movedAt: performance.now() };
    this.#lines.set(host, line);
    if (line.taken < perHost) line.taken++;
    else if (line.waiting.length >= perHost || !(await this.#wait(line, signal))) {
      signal.throwIfAborted();
      // many jobs of one instant, and a host that answers: soon there is room
      const moves = performance.now() - line.movedAt < waitMs;
      throw new Snooze(
        moves ? 1 : this.#options.snoozeSeconds(),
        `${this.#options.perHost} requests to ${host} are under way already`,
      );
    }
    let left = false;
    return () => {
      if (left) return;
      left = true;
      line.movedAt = performance.now();
      const next = line.waiting.shift();
      if (next) return next(); // hands the place on
      line.taken--;
      if (line.taken === 0) this.#lines.delete(host);
    };
  }

  #wait(line: Line, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const answer = (given: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        resolve(given);
      };
      const next = () => answer(true);
      const giveUp = () => {
        line.waiting.splice(line.waiting.indexOf(next), 1);
        answer(false);
      };
      const timer = setTimeout(giveUp, this.#options.waitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      line.waiting.push(next);
    });
  }
}
