// A limit on the concurrent requests to one host. A slow or dead host occupies its share of the worker's places and no
// more. Owners share the limit of a host by the rule of the places. docs/decisions/0011 says why this is not a circuit breaker.
import { createFairShare, type FairShare } from '../../concurrency/fair-share.ts';
import { Snooze } from '../task.ts';

export interface HostLimiterOptions {
  /** Maximum number of concurrent requests to one host. As many may wait. */
  readonly perHost: number;
  /** The largest share of a host's limit that one owner alone may use. 1: no limit. */
  readonly ownerShare?: number;
  /** How long a request waits for a fast host to become free. */
  readonly waitMs?: number;
  /** The delay, in seconds, after which a refused execution is tried again. */
  readonly snoozeSeconds?: () => number;
}

interface Waiter {
  readonly owner: string;
  start(): void;
}

interface Host {
  active: number;
  /** The number of requests in progress by owner. */
  readonly activeOf: Map<string, number>;
  readonly waiting: Waiter[];
  /** When the last request ended, or when the first one began. */
  lastProgressAt: number;
}

const newHost = (): Host => ({
  active: 0,
  activeOf: new Map(),
  waiting: [],
  lastProgressAt: performance.now(),
});

export class HostLimiter {
  readonly #options: Required<Omit<HostLimiterOptions, 'ownerShare'>>;
  readonly #share: FairShare;
  readonly #hosts = new Map<string, Host>();

  constructor({ ownerShare, ...options }: HostLimiterOptions) {
    this.#share = createFairShare(ownerShare);
    this.#options = {
      waitMs: 500,
      // A random delay spreads executions that were refused at the same time.
      snoozeSeconds: () => 2 + Math.random() * 6,
      ...options,
    };
  }

  /**
   * Resolves with the function that releases the slot. Throws Snooze if no slot becomes free within `waitMs`. Waiting
   * requests occupy places of the worker too, so at most `perHost` of them wait.
   */
  async acquire(name: string, owner: string, signal: AbortSignal): Promise<() => void> {
    const { perHost, waitMs } = this.#options;
    const host = this.#hosts.get(name) ?? newHost();
    this.#hosts.set(name, host);
    if (this.#mayStart(host, owner)) count(host, owner, 1);
    else if (!this.#mayWait(host, owner) || !(await this.#wait(host, owner, signal))) {
      signal.throwIfAborted();
      // If many jobs are due at one instant and the host answers, a slot is free soon.
      const isAnswering = performance.now() - host.lastProgressAt < waitMs;
      throw new Snooze(
        isAnswering ? 1 : this.#options.snoozeSeconds(),
        host.active < perHost
          ? `${host.activeOf.get(owner)} requests of this owner to ${name} are in progress, which is its share of the limit per host (${perHost})`
          : `${perHost} requests to ${name} are in progress, which is the limit per host`,
      );
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      host.lastProgressAt = performance.now();
      count(host, owner, -1);
      this.#startWaiting(host);
      if (host.active === 0) this.#hosts.delete(name);
    };
  }

  #mayStart({ active, activeOf }: Host, owner: string): boolean {
    const { perHost } = this.#options;
    return this.#share.allows(activeOf.get(owner) ?? 0, { size: perHost, free: perHost - active });
  }

  #mayWait({ waiting }: Host, owner: string): boolean {
    const { perHost } = this.#options;
    const own = waiting.filter((waiter) => waiter.owner === owner).length;
    return this.#share.allows(own, { size: perHost, free: perHost - waiting.length });
  }

  /** Starts the longest waiting request of the owner with the fewest requests in progress, as long as the rule allows one. */
  #startWaiting(host: Host): void {
    for (;;) {
      const activeOf = ({ owner }: Waiter) => host.activeOf.get(owner) ?? 0;
      const next = host.waiting.toSorted((a, b) => activeOf(a) - activeOf(b))[0];
      if (!next || !this.#mayStart(host, next.owner)) return;
      host.waiting.splice(host.waiting.indexOf(next), 1);
      count(host, next.owner, 1);
      next.start();
    }
  }

  /** Resolves with false if no slot becomes free within `waitMs`, or if the signal is aborted. */
  #wait(host: Host, owner: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (acquired: boolean) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        resolve(acquired);
      };
      const waiter = { owner, start: () => finish(true) };
      const giveUp = () => {
        host.waiting.splice(host.waiting.indexOf(waiter), 1);
        finish(false);
      };
      const timer = setTimeout(giveUp, this.#options.waitMs);
      signal.addEventListener('abort', giveUp, { once: true });
      host.waiting.push(waiter);
    });
  }
}

function count(host: Host, owner: string, by: 1 | -1): void {
  host.active += by;
  const active = (host.activeOf.get(owner) ?? 0) + by;
  if (active > 0) host.activeOf.set(owner, active);
  else host.activeOf.delete(owner);
}
