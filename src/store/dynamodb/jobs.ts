// The heads of jobs. Every write is conditional on the version, and a claim also on the number of the lock.
import type { Head, HeadChange } from '../../domain/jobs/job.ts';
import { endOfJob } from '../../domain/jobs/job-end.ts';
import { CREATED_AND_OWNER, decodeCursor, encodeCursor, TIME_AND_JOB } from '../cursors.ts';
import type { Item } from '../items.ts';
import {
  HEAD,
  headChangeToItem,
  headFromItem,
  headToItem,
  jobExpiry,
  lockNumberOf,
  takenToItem,
} from '../items.ts';
import type { HeadSummary, ListOptions, LockTaking, Page, ReadOptions } from '../store.ts';
import { newestFirst, ownersOf } from '../user-index.ts';
import type { Database } from './database.ts';
import type { On } from './item-calls.ts';
import { readRange } from './ranges.ts';

const table = 'jobs';
const keyOf = (jobId: string) => ({ jobId, part: HEAD });

/** False if it exists. 1 WRU below 1 KB, and 1 for the index. */
export async function insertHead(db: Database, keptMs: number, head: Head): Promise<boolean> {
  await db.indexPartitions.record();
  return db.insert(
    { operation: 'insertHead', table },
    {
      key: keyOf(head.jobId),
      item: { ...headToItem(head, db.indexPartitions.written), ...jobExpiry(endOfJob(head), keptMs) },
    },
  );
}

/** 0.5 RRU, or 1 if consistent. */
export async function readHead(db: Database, jobId: string, options: ReadOptions): Promise<Head | undefined> {
  const item = await db.get({ operation: 'readHead', table }, keyOf(jobId), options.consistent);
  return item && headFromItem<Head>(item);
}

/** 0.5 RRU each, or 1 if consistent. One request per 100 heads. */
export async function readHeads(
  db: Database,
  jobIds: readonly string[],
  options: ReadOptions,
): Promise<Head[]> {
  const keys = [...new Set(jobIds)].map(keyOf);
  const items = await db.getAll({ operation: 'readHeads', table }, keys, options.consistent);
  return items.map((item) => headFromItem<Head>(item));
}

/** False if the version is not as seen. 1 WRU below 1 KB, also if refused, and 1 for the index. */
export function updateHead(db: Database, keptMs: number, seen: Head, change: HeadChange): Promise<boolean> {
  const { jobId, version } = seen;
  const end = endOfJob({ ...seen, ...change });
  // an expiry that the head has must be replaced, or removed
  const hasEnd = end !== undefined || endOfJob(seen) !== undefined;
  const expiry = hasEnd ? { expiresAt: undefined, ...jobExpiry(end, keptMs) } : {};
  const on: On =
    change.status === 'completed' || change.status === 'failed'
      ? { operation: 'completeHead', table, linger: true } // the run has ended
      : { operation: 'updateHead', table };
  return db.change(on, {
    key: keyOf(jobId),
    change: { ...headChangeToItem(seen, change), ...expiry },
    where: { version },
  });
}

/** False if the version is not as seen. 1 WRU below 1 KB, also if refused. The index does not change. */
export function keepHead(
  db: Database,
  keptMs: number,
  { jobId, version }: Head,
  end: number,
): Promise<boolean> {
  return db.change(
    { operation: 'keepHead', table },
    { key: keyOf(jobId), change: jobExpiry(end, keptMs), where: { version } },
  );
}

/** False if the version or the lock is not as seen. 1 WRU below 1 KB, also if refused. The index does not change. */
export function takeLock(db: Database, taking: LockTaking): Promise<boolean> {
  const { seen } = taking;
  const where = { version: seen.version, lockNumber: lockNumberOf(seen) };
  const on = { operation: 'takeLock', table } as const;
  return db.change(on, { key: keyOf(seen.jobId), change: takenToItem(taking), where });
}

/** Eventually consistent. About 8 RRU for a page of 100 in 4 partitions. */
export async function listHeads(
  db: Database,
  userId: string,
  options: ListOptions,
): Promise<Page<HeadSummary>> {
  const start = decodeCursor(options.cursor, TIME_AND_JOB);
  const owners = ownersOf(userId, await db.indexPartitions.toRead());
  const { items, more } = await newestFirst(owners, start, options.limit, async (owner, before, count) => {
    const page = await readRange(
      db,
      { operation: 'listHeads', table },
      {
        index: 'byUser',
        partitionKey: 'owner',
        partition: owner,
        sortKey: 'createdKey',
        before,
        newestFirst: true,
        consistent: false,
      },
      count,
    );
    return {
      items: page.items.map((item) => ({
        sortKey: String(item.createdKey),
        value: headFromItem<HeadSummary>(item),
      })),
      more: page.more,
    };
  });
  const last = items.at(-1);
  return { items: items.map((i) => i.value), next: more && last ? encodeCursor(last.sortKey) : undefined };
}

/** A scan of the index: 0.5 RRU per 4 KB, about 60 for 1,000 jobs. */
export async function listAllHeads(db: Database, { limit, cursor }: ListOptions): Promise<Page<HeadSummary>> {
  const start = decodeCursor(cursor, CREATED_AND_OWNER);
  const { items, last } = await db.scan(
    { operation: 'listAllHeads', table },
    {
      IndexName: 'byUser',
      Limit: limit,
      ExclusiveStartKey: start === undefined ? undefined : keyFrom(start),
    },
  );
  return {
    items: items.map((item) => headFromItem<HeadSummary>(item)),
    next: last && encodeCursor(`${last.createdKey}@${last.owner}`),
  };
}

/** The key of the index and of the table. */
function keyFrom(cursor: string): Item {
  const at = cursor.indexOf('@');
  const createdKey = cursor.slice(0, at);
  return { owner: cursor.slice(at + 1), createdKey, ...keyOf(createdKey.split('#')[1] ?? '') };
}
