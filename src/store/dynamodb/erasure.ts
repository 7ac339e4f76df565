// Removes what belongs to an owner. Names of namespaces that no head leads to, passed entries and ended operations expire.
import { ownerHash } from '../../domain/digest.ts';
import { shardOf } from '../../domain/executions/ids.ts';
import { type Entry, entryKey, minuteOf, slotKey } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { HEAD, type Item } from '../items.ts';
import type { ErasureScope, ExecutionKey } from '../store.ts';
import type { Database } from './database.ts';
import { namespacePartition } from './names.ts';
import { LIMITS, quotaPartition } from './quotas.ts';
import { partitionOf } from './seats.ts';

/** 1 WRU each and KB, and 1 for each index. */
export async function eraseRows(db: Database, keys: readonly ExecutionKey[]): Promise<void> {
  await db.removeAll(
    { operation: 'eraseRows', table: 'executions' },
    keys.map(({ jobId, due }) => ({ jobId, due })),
  );
}

/** 1 RRU per 4 KB, and 1 WRU for each item and KB. The heads are last: until then the next pass finds the jobs again. */
export async function eraseJobs(
  db: Database,
  shards: number,
  heads: readonly Head[],
  entries: readonly Entry[],
): Promise<void> {
  const on = { operation: 'eraseJobs', table: 'jobs' } as const;
  await db.removeAll(
    { operation: 'eraseJobs', table: 'timetable' },
    entries.map((entry) => ({
      slot: slotKey(minuteOf(entry.at), shardOf(entry.jobId, shards)),
      key: entryKey(entry),
    })),
  );
  const ids = new Set(heads.map(({ jobId }) => jobId));
  const beside = heads.flatMap(({ jobId, userId, limit }) => [
    jobId,
    ...(limit ? [partitionOf({ owner: ownerHash(userId), key: limit.key })] : []),
  ]);
  for (const partition of new Set(beside)) await erasePartition(db, partition, ({ part }) => part !== HEAD);
  const namespaces = heads.flatMap(({ userId, namespace }) =>
    namespace === undefined ? [] : [namespacePartition(userId, namespace)],
  );
  // names of jobs that are left stay, because the erasure may be stopped
  for (const partition of new Set(namespaces))
    await erasePartition(db, partition, ({ target }) => ids.has(String(target)));
  await db.removeAll(
    on,
    heads.map(({ jobId }) => ({ jobId, part: HEAD })),
  );
}

/** 1 RRU per 4 KB, and 1 WRU for each item. */
export const eraseOwner = (db: Database, userId: string, { limits }: ErasureScope): Promise<void> =>
  erasePartition(db, quotaPartition(userId), ({ part }) => limits || part !== LIMITS);

async function erasePartition(
  db: Database,
  partition: string,
  isMeant: (item: Item) => boolean,
): Promise<void> {
  let last: Item | undefined;
  do {
    const page = await db.query(
      { operation: 'eraseJobs', table: 'jobs' },
      {
        KeyConditionExpression: 'jobId = :partition',
        ExpressionAttributeValues: { ':partition': partition },
        ProjectionExpression: 'jobId, part, target',
        ConsistentRead: true,
        ExclusiveStartKey: last,
      },
    );
    await db.removeAll(
      { operation: 'eraseJobs', table: 'jobs' },
      page.items.filter(isMeant).map(({ jobId, part }) => ({ jobId, part })),
    );
    last = page.last;
  } while (last);
}
