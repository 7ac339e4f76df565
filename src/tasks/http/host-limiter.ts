// A limit on the concurrent requests to one host. A slow or dead host occupies its share of the worker's run slots and no
// more. docs/decisions/0011 says why this is not a circuit breaker.
import { Snooze } from '../task.ts';

export interface HostLimiterOptions {
  /** Maximum number of concurrent requests to one host. As many may wait. */
  readonly perHost: number;
  /** How long a request waits for a fast host to become free. */
  readonly waitMs?: number;
  /** The delay, in seconds, after which a refused execution is tried again. */
  readonly snoozeSeconds?: () => number;
}

interface Host {
  active: number;
  readonly waiting: (() => void)[];
  /** When the last request ended, or when the first one began. */
  lastProgressAt: number;
}

export class HostLimiter {
  readonly #options: Required<HostLimiterOptions>;
  readonly #hosts = new Map<string, Host>();

  constructor(options: HostLimiterOptions) {
    this.#options = {
      waitMs: 500,
      // A random delay spreads executions that were refused at the same time.
      snoozeSeconds: () => 2 + Math.random() * 6,
      ...options,
    };
  }

  /**
   * Resolves with the function that releases the slot. Throws Snooze if no slot becomes free within `waitMs`. Waiting
   * requests occupy run slots of the worker too, so at most `perHost` of them wait.
   */
  async acquire(name: string, signal: AbortSignal): Promise<() => void> {
    const { perHost, waitMs } = this.#options;
    const host = this.#hosts.get(name) ?? { active: 0, waiting: [], lastProgressAt: performance.now() };
    this.#hosts.set(name, host);
    if (host.active < perHost) host.active++;
    else if (host.waiting.length >= perHost || !(await this.#wait(host, signal))) {
      signal.throwIfAborted();
      // If many jobs are due at one instant and the host answers, a slot is free soon.
      const isAnswering = performance.now() - host.lastProgressAt < waitMs;
      throw new Snooze(
        isAnswering ? 1 : this.#options.snoozeSeconds(),
        `${perHost} requests to ${name} are in progress, which is the limit per host`,
      );
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      host.lastProgressAt = performance.now();
      const next = host.waiting.shift();
      if (next) return next(); // The slot passes to the next request.
      host.active--;
      if (host.active === 0) this.#hosts.delete(name);
    };
  }

  /** Resolves with false if no slot becomes free within `waitMs`, or if the signal is aborted. */
  #wait(host: Host, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (acquired: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        resolve(acquired);
      };
      const next = () => finish(true);
      const giveUp = () => {
        host.waiting.splice(host.waiting.indexOf(next), 1);
        finish(false);
      };
      const timer = setTimeout(giveUp, this.#options.waitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      host.waiting.push(next);
    });
  }
}
