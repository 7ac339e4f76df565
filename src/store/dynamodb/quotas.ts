// Counters of quotas and the limits of owners, in the table of jobs and outside its index.
import type { LimitsOfOwner } from '../../domain/jobs/owner-limits.ts';
import type { ReadOptions, Stored } from '../store.ts';
import type { Database } from './database.ts';

const table = 'jobs';
export const quotaPartition = (userId: string): string => `quota#${userId}`;
const keyOf = (userId: string, quota: string) => ({ jobId: quotaPartition(userId), part: quota });

/** Returns the new usage. 1 WRU. */
export async function addToQuota(
  db: Database,
  userId: string,
  quota: string,
  count: number,
  expiresAt?: number,
): Promise<number> {
  const expires = expiresAt === undefined ? '' : ' SET expiresAt = :expiresAt';
  const updated = await db.update(
    { operation: 'addToQuota', table },
    {
      Key: keyOf(userId, quota),
      UpdateExpression: `ADD used :count${expires}`,
      ExpressionAttributeValues: { ':count': count, ':expiresAt': expiresAt },
      ReturnValues: 'UPDATED_NEW',
    },
  );
  return Number(updated?.used);
}

/** Returns the new usage. Undefined if it would exceed `max`. 1 WRU, also then. */
export async function takeFromQuota(
  db: Database,
  userId: string,
  quota: string,
  count: number,
  max: number,
  expiresAt?: number,
): Promise<number | undefined> {
  const expires = expiresAt === undefined ? '' : ' SET expiresAt = :expiresAt';
  const updated = await db.update(
    { operation: 'takeFromQuota', table },
    {
      Key: keyOf(userId, quota),
      UpdateExpression: `ADD used :count${expires}`,
      ConditionExpression: 'attribute_not_exists(used) OR used <= :room',
      ExpressionAttributeValues: { ':count': count, ':room': max - count, ':expiresAt': expiresAt },
      ReturnValues: 'UPDATED_NEW',
    },
  );
  return updated && Number(updated.used);
}

/** Consistent: 1 RRU. */
export async function readQuota(db: Database, userId: string, quota: string): Promise<number> {
  const item = await db.get({ operation: 'readQuota', table }, keyOf(userId, quota), true);
  return Number(item?.used ?? 0);
}

/** The part of what a user has stored. */
const STORED = 'active';

const storedFromItem = (item: Record<string, unknown> | undefined): Stored => ({
  jobs: Number(item?.used ?? 0),
  bytes: Number(item?.storedBytes ?? 0),
});

/** One update of both counters: 1 WRU, also if a sum would exceed `max`. Then undefined. */
export async function takeStored(
  db: Database,
  userId: string,
  more: Stored,
  max: Stored,
): Promise<Stored | undefined> {
  const room = [
    ...(more.jobs > 0 ? ['(attribute_not_exists(used) OR used <= :jobsRoom)'] : []),
    '(attribute_not_exists(storedBytes) OR storedBytes <= :bytesRoom)',
  ];
  const updated = await db.update(
    { operation: 'takeStored', table },
    {
      Key: keyOf(userId, STORED),
      UpdateExpression: 'ADD used :jobs, storedBytes :bytes',
      ConditionExpression: room.join(' AND '),
      ExpressionAttributeValues: {
        ':jobs': more.jobs,
        ':bytes': more.bytes,
        ...(more.jobs > 0 && { ':jobsRoom': max.jobs - more.jobs }),
        ':bytesRoom': max.bytes - more.bytes,
      },
      ReturnValues: 'UPDATED_NEW',
    },
  );
  return updated && storedFromItem(updated);
}

/** Consistent: 1 RRU. */
export async function readStored(db: Database, userId: string): Promise<Stored> {
  return storedFromItem(await db.get({ operation: 'readStored', table }, keyOf(userId, STORED), true));
}

/** False if the sums are not as seen. 1 WRU. */
export async function replaceStored(
  db: Database,
  userId: string,
  seen: Stored,
  stored: Stored,
): Promise<boolean> {
  const updated = await db.update(
    { operation: 'replaceStored', table },
    {
      Key: keyOf(userId, STORED),
      UpdateExpression: 'SET used = :jobs, storedBytes = :bytes',
      ConditionExpression: 'used = :seenJobs AND storedBytes = :seenBytes',
      ExpressionAttributeValues: {
        ':jobs': stored.jobs,
        ':bytes': stored.bytes,
        ':seenJobs': seen.jobs,
        ':seenBytes': seen.bytes,
      },
    },
  );
  return updated !== undefined;
}

/** The part of the limits. No counter has this name. */
export const LIMITS = 'limits';

/** 1 WRU. */
export async function putLimits(db: Database, userId: string, limits: LimitsOfOwner): Promise<void> {
  const item = { ...keyOf(userId, LIMITS), record: JSON.stringify(limits) };
  await db.put({ operation: 'putLimits', table }, { Item: item });
}

/** 1 RRU, half of it if not consistent. */
export async function readLimits(
  db: Database,
  userId: string,
  { consistent }: ReadOptions,
): Promise<LimitsOfOwner | undefined> {
  const item = await db.get({ operation: 'readLimits', table }, keyOf(userId, LIMITS), consistent);
  return item && (JSON.parse(String(item.record)) as LimitsOfOwner);
}
