// The limit of active and paused jobs. The counter in the store only grows, so it is an upper bound. If it reaches the limit,
// the owner's jobs are counted, and the counter is corrected.
import { filterInSlices } from '../../concurrency/request-turns.ts';
import { minuteOf } from '../../domain/executions/slots.ts';
import { jobStatus } from '../../domain/views/views.ts';
import type { Context } from '../../scheduling/context.ts';
import { searchesOf } from '../../scheduling/searches.ts';
import { createReservedUsage } from './reserved-usage.ts';

export interface ActiveJobs {
  /** False if the owner has as many jobs as the limit allows. True if `max` is 0. */
  take(userId: string, max: number): Promise<boolean>;
}

/** The name of the counter in the store. */
export const ACTIVE = 'active';
const PAGE = 500;
/**
 * A count reads at most this many times the limit, newest jobs first. Otherwise an owner with millions of ended jobs could not
 * create any within the time of a request. Active jobs beyond it are not counted.
 */
const MAX_READ_PER_LIMIT = 2;

export function createActiveJobs(context: Context): ActiveJobs {
  const { store, clock } = context;
  const usage = createReservedUsage(async (userId, _minute, count, max) => {
    const used = await store.takeFromQuota(userId, ACTIVE, count, max);
    if (used !== undefined) return used;
    const seen = await store.readQuota(userId, ACTIVE);
    const active = await countActive(context, userId, max);
    if (active + count > max) return undefined;
    // if another process has corrected the counter meanwhile, its value stands
    await store.replaceQuota(userId, ACTIVE, seen, active + count);
    return active + count;
  });
  return {
    async take(userId, max) {
      return max === 0 || usage.take(userId, minuteOf(clock.now()), max, 1);
    },
  };
}

/** Counts active and paused jobs until `enough` are found. About 0.1 RRU for each job that is read. */
async function countActive(context: Context, userId: string, enough: number): Promise<number> {
  const { store, clock } = context;
  const searches = searchesOf(context);
  const now = clock.now();
  let count = 0;
  let read = 0;
  let cursor: string | undefined;
  do {
    const page = await store.listHeads(userId, { limit: PAGE, cursor });
    count += (
      await filterInSlices(page.items, (head) =>
        ['active', 'paused'].includes(jobStatus(head, now, searches)),
      )
    ).length;
    read += page.items.length;
    cursor = page.next;
  } while (cursor && count < enough && read < enough * MAX_READ_PER_LIMIT);
  return count;
}
