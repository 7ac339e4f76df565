// Counters of quotas, in the table of jobs and outside its index.
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
