// Counters of quotas and the limits of owners, in the table of jobs and outside its index.
import type { LimitsOfOwner } from '../../domain/jobs/owner-limits.ts';
import type { ReadOptions } from '../store.ts';
import type { Database } from './database.ts';

const table = 'jobs';
const keyOf = (userId: string, quota: string) => ({ jobId: `quota#${userId}`, part: quota });

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

/** False if the usage is not as seen. 1 WRU. */
export async function replaceQuota(
  db: Database,
  userId: string,
  quota: string,
  seen: number,
  used: number,
): Promise<boolean> {
  const updated = await db.update(
    { operation: 'replaceQuota', table },
    {
      Key: keyOf(userId, quota),
      UpdateExpression: 'SET used = :used',
      ConditionExpression: 'used = :seen',
      ExpressionAttributeValues: { ':used': used, ':seen': seen },
    },
  );
  return updated !== undefined;
}

/** The part of the limits. No counter has this name. */
const LIMITS = 'limits';

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
