// The limits of active and paused jobs and of stored bytes. One item of the store has both counters of an owner. They only grow,
// so they are upper bounds. If one reaches its limit, the owner's jobs are counted, and the item is corrected.
//
// A process reserves jobs and bytes in blocks and hands them out from memory, as in `reserved-usage.ts`. So a create needs no
// further write for its bytes, and small edits need one per block. What a process has reserved and not used counts until the
// next correction.
import { LRUCache } from 'lru-cache';
import { giveWay } from '../../concurrency/request-turns.ts';
import { minuteOf } from '../../domain/executions/slots.ts';
import { bytesOfJob } from '../../domain/jobs/stored-bytes.ts';
import { jobStatus } from '../../domain/views/views.ts';
import type { Context } from '../../scheduling/context.ts';
import { searchesOf } from '../../scheduling/searches.ts';
import type { Stored } from '../../store/store.ts';

/** The limit that was reached, with what is used of it. */
export interface Reached {
  readonly limit: 'activeJobs' | 'storedBytes';
  readonly used: number;
}

export interface StoredJobs {
  /** Takes both or none. Undefined if they were taken. 0 in `max` means no limit. */
  take(userId: string, want: Stored, max: Stored): Promise<Reached | undefined>;
}

/** Users whose reservations a process remembers. A forgotten user costs one more write. */
const MAX_USERS = 10_000;
/** A block is at most this part of what is left. */
const PART = 4;
const FIRST_BYTES = 4_096;
const MOST_BYTES = 65_536;
const PAGE = 500;
/**
 * A count of active jobs reads at most this many times their limit, newest jobs first. Otherwise an owner with millions of ended
 * jobs could not create any within the time of a request. Active jobs beyond it are not counted.
 */
const MAX_READ_PER_LIMIT = 2;
/** A count of bytes reads at most this many jobs. If there are more, the counter stands. */
const MAX_COUNTED = 500_000;

/** A create or an edit ends within this time. */
const RECENT_SECONDS = 30;

interface Usage {
  readonly max: Stored;
  reserved: Stored;
  /** The sizes of the next blocks. */
  block: Stored;
  /** The rest of the limits for all processes, as of the last reservation. */
  left: Stored;
  /** A count in this minute has found no room. */
  reached: { readonly minute: number; readonly by: Reached; readonly want: number } | undefined;
  reserving: Promise<Reached | undefined> | undefined;
  /** The bytes that this process has taken of late, by the second. A count may not see their jobs yet. */
  readonly recent: Map<number, number>;
}

const secondOf = (time: number): number => Math.floor(time / 1000);

function forgetBefore(recent: Map<number, number>, since: number): void {
  for (const second of recent.keys()) if (second < since) recent.delete(second);
}

const plus = (a: Stored, b: Stored): Stored => ({ jobs: a.jobs + b.jobs, bytes: a.bytes + b.bytes });
const minus = (a: Stored, b: Stored): Stored => ({ jobs: a.jobs - b.jobs, bytes: a.bytes - b.bytes });
const NOTHING: Stored = { jobs: 0, bytes: 0 };

export function createStoredJobs(context: Context): StoredJobs {
  const { store, clock } = context;
  const usages = new LRUCache<string, Usage>({ max: MAX_USERS });

  function usageOf(userId: string, max: Stored): Usage {
    const known = usages.get(userId);
    if (known?.max.jobs === max.jobs && known.max.bytes === max.bytes) return known;
    const usage: Usage = {
      ...{ max, reserved: NOTHING, block: { jobs: 1, bytes: FIRST_BYTES }, left: max },
      ...{ reached: undefined, reserving: undefined, recent: new Map() },
    };
    usages.set(userId, usage);
    return usage;
  }

  /** A block of jobs comes with the bytes of as many jobs like this one. */
  function blockOf({ block, left, max }: Usage, missing: Stored, want: Stored): Stored {
    const jobs =
      missing.jobs > 0 ? Math.max(missing.jobs, Math.min(block.jobs, Math.floor(left.jobs / PART))) : 0;
    const spare = jobs > 0 ? (jobs - missing.jobs) * want.bytes : block.bytes;
    const more = Math.max(0, Math.min(spare, Math.floor(left.bytes / PART)));
    return { jobs, bytes: Math.min(max.bytes, missing.bytes + more) };
  }

  async function reserveMore(userId: string, usage: Usage, missing: Stored, want: Stored) {
    const { max } = usage;
    let taken = blockOf(usage, missing, want);
    let used = await store.takeStored(userId, taken, max);
    if (used === undefined && (taken.jobs > missing.jobs || taken.bytes > missing.bytes)) {
      taken = missing;
      used = await store.takeStored(userId, taken, max);
    }
    if (used === undefined) {
      // one count per minute that finds no room, whatever the size of the next request
      if (usage.reached?.minute === minuteOf(clock.now())) return usage.reached.by;
      const corrected = await correct(userId, usage, missing);
      if ('limit' in corrected) {
        const name = corrected.limit === 'activeJobs' ? 'jobs' : 'bytes';
        usage.reached = { minute: minuteOf(clock.now()), by: corrected, want: missing[name] };
        return corrected;
      }
      used = corrected;
      taken = missing;
    }
    usage.reserved = plus(usage.reserved, taken);
    usage.left = minus(max, used);
    usage.block = {
      jobs: usage.block.jobs * (taken.jobs > 0 ? 2 : 1),
      bytes: Math.min(MOST_BYTES, usage.block.bytes * 2),
    };
    return undefined;
  }

  /** Counts what is stored and writes the sum, if there is room for `more`. */
  async function correct(userId: string, usage: Usage, more: Stored): Promise<Stored | Reached> {
    const { max, recent } = usage;
    const seen = await store.readStored(userId);
    const since = secondOf(clock.now()) - RECENT_SECONDS;
    const found = await countStored(context, userId, seen, more, max, since * 1000);
    forgetBefore(recent, since);
    const taken = [...recent.values()].reduce((sum, bytes) => sum + bytes, 0);
    const counted = { jobs: found.jobs, bytes: found.bytes + Math.max(0, taken - found.recentBytes) };
    if (more.jobs > 0 && counted.jobs + more.jobs > max.jobs)
      return { limit: 'activeJobs', used: counted.jobs };
    if (counted.bytes + more.bytes > max.bytes) return { limit: 'storedBytes', used: counted.bytes };
    // if another process has corrected the counter meanwhile, its value stands
    await store.replaceStored(userId, seen, plus(counted, more));
    return plus(counted, more);
  }

  return {
    async take(userId, want, given) {
      const max = {
        jobs: given.jobs || Number.MAX_SAFE_INTEGER,
        bytes: given.bytes || Number.MAX_SAFE_INTEGER,
      };
      if (given.jobs === 0 && given.bytes === 0) return undefined;
      if (want.bytes > max.bytes)
        return { limit: 'storedBytes', used: (await store.readStored(userId)).bytes };
      const usage = usageOf(userId, max);
      for (;;) {
        const missing = {
          jobs: Math.max(0, want.jobs - usage.reserved.jobs),
          bytes: Math.max(0, want.bytes - usage.reserved.bytes),
        };
        if (missing.jobs === 0 && missing.bytes === 0) break;
        const { reached } = usage;
        const name = reached?.by.limit === 'activeJobs' ? 'jobs' : 'bytes';
        if (reached?.minute === minuteOf(clock.now()) && missing[name] >= reached.want) return reached.by;
        if (usage.reserving) {
          await usage.reserving;
          continue;
        }
        usage.reserving = reserveMore(userId, usage, missing, want).finally(() => {
          usage.reserving = undefined;
        });
        const refused = await usage.reserving;
        if (refused) return refused;
      }
      usage.reserved = minus(usage.reserved, want);
      const second = secondOf(clock.now());
      usage.recent.set(second, (usage.recent.get(second) ?? 0) + want.bytes);
      if (usage.recent.size > 2 * RECENT_SECONDS) forgetBefore(usage.recent, second - RECENT_SECONDS);
      return undefined;
    },
  };
}

/**
 * Counts the owner's active and paused jobs and stored bytes, newest jobs first. About 0.1 RRU for each job that is read. If it
 * ends before the last job, the bytes are at least those of the counter.
 */
async function countStored(
  context: Context,
  userId: string,
  seen: Stored,
  more: Stored,
  max: Stored,
  since: number,
): Promise<Stored & { readonly recentBytes: number }> {
  const { store, clock } = context;
  const searches = searchesOf(context);
  const now = clock.now();
  const needsBytes = seen.bytes + more.bytes > max.bytes;
  const maxRead = needsBytes ? MAX_COUNTED : max.jobs * MAX_READ_PER_LIMIT;
  const hasRoom = () => (more.jobs === 0 || jobs < max.jobs) && bytes < max.bytes;
  let [jobs, bytes, recentBytes] = [0, await orphanBytes(store, userId), 0];
  let read = 0;
  let cursor: string | undefined;
  do {
    const page = await store.listHeads(userId, { limit: PAGE, cursor });
    for (const head of page.items) {
      const turn = giveWay();
      if (turn) await turn;
      if (['active', 'paused'].includes(jobStatus(head, now, searches))) jobs++;
      const [, all] = bytesOfJob(head);
      bytes += all;
      if (head.createdAt >= since) recentBytes += all;
    }
    read += page.items.length;
    cursor = page.next;
  } while (cursor && hasRoom() && read < maxRead);
  return { jobs, bytes: cursor ? Math.max(bytes, seen.bytes) : bytes, recentBytes };
}

/** Definitions and records that no job leads to: another request with the same id was faster. */
const ORPHANS = 'orphans';

const orphanBytes = (store: Context['store'], userId: string): Promise<number> =>
  store.readQuota(userId, ORPHANS);

export const countOrphans = ({ store }: Context, userId: string, bytes: number): Promise<number> =>
  store.addToQuota(userId, ORPHANS, bytes);
