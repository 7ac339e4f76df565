// The limit of running executions per owner (docs/decisions/0038-limits-per-owner.md). Each worker has a part of the limit. The parts
// of all live workers together are exactly the limit, so no start needs a read or a write.
import { LRUCache } from 'lru-cache';
import { hash } from '../domain/hash.ts';
import type { LimitValues } from '../jobs/limits/limit-values.ts';
import type { Context } from '../scheduling/context.ts';

/** Owners whose user id a worker remembers. For others the default applies until it reads one of their jobs. */
const MAX_OWNERS = 10_000;
/** A worker lists the live workers this often, and in the first minute with every heartbeat. */
const REFRESH_MS = 30_000;
const FIRST_MINUTE_MS = 60_000;
/** The rows of many workers are large, so they are read less often: once per this time and worker. */
const REFRESH_MS_PER_WORKER = 1_000;

export interface RunningLimits {
  /** The number of places that this worker may give to the owner. Infinity if there is no limit. */
  maxOf(owner: string): number;
  /**
   * The first read of the limit that an operator has set for the owner. Undefined if it has ended. Until then the default applies,
   * and a new worker would start a backlog of the owner by it.
   */
  firstRead(owner: string): Promise<unknown> | undefined;
  /** Names the user whose hash the owner is. */
  learn(owner: string, userId: string): void;
  /** Finds the live workers if it is time to. Called with every heartbeat, after the worker's own row is written. */
  refresh(): Promise<void>;
}

export function createRunningLimits(context: Context, values: LimitValues, workerId: string): RunningLimits {
  const { clock, log, settings, store } = context;
  const users = new LRUCache<string, string>({ max: MAX_OWNERS });
  const startedAt = clock.monotonic();
  let workers: readonly string[] = [workerId];
  let refreshedAt = Number.NEGATIVE_INFINITY;

  const isTime = () => {
    const now = clock.monotonic();
    const pause = Math.max(REFRESH_MS, workers.length * REFRESH_MS_PER_WORKER);
    return now - startedAt < FIRST_MINUTE_MS || now - refreshedAt >= pause;
  };

  return {
    maxOf(owner) {
      const userId = users.get(owner);
      const { runningExecutions: limit } = userId === undefined ? values.defaults : values.known(userId);
      return limit === 0 ? Number.POSITIVE_INFINITY : partOf(limit, workers, workerId, owner);
    },
    firstRead(owner) {
      const userId = users.get(owner);
      return userId === undefined ? undefined : values.firstRead(userId);
    },
    learn(owner, userId) {
      if (users.get(owner) !== userId) users.set(owner, userId);
    },
    async refresh() {
      // an embedded server is the only worker
      if (context.boot !== undefined || !isTime()) return;
      try {
        const live = await store.listWorkers(clock.now() - settings.leaseMs);
        workers = [...new Set([workerId, ...live.map((worker) => worker.workerId)])].sort();
        refreshedAt = clock.monotonic();
      } catch (error) {
        log.warn('failed to list the workers; the last list applies', { error: String(error) });
      }
    },
  };
}

/** The part of the limit that one worker has. The rest of the division goes to other workers for each owner. */
export function partOf(limit: number, workers: readonly string[], workerId: string, owner: string): number {
  const count = workers.length;
  const rank = (workers.indexOf(workerId) + hash(owner)) % count;
  return Math.floor(limit / count) + (rank < limit % count ? 1 : 0);
}
