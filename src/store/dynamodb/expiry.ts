// The expiry of what stands beside the head of a job. Each item has a TTL attribute of its own.
import { forEachLimit } from '../../concurrency/map-limit.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { type Item, jobExpiry } from '../items.ts';
import { BEFORE_ALL } from './changes.ts';
import type { Database } from './database.ts';
import { nameKey } from './names.ts';

const table = 'jobs';

const CONCURRENT = 8;
/** Items whose expiry differs by less are left as they are. */
const SAME_SECONDS = 86_400;

/** Consistent: 1 RRU per 4 KB. Then 1 WRU per item and KB. */
export async function expireBeside(
  db: Database,
  keptMs: number,
  { jobId, userId, namespace, name }: Pick<Head, 'jobId' | 'userId' | 'namespace' | 'name'>,
  end: number | undefined,
): Promise<void> {
  const { expiresAt } = jobExpiry(end, keptMs);
  const set = {
    UpdateExpression: expiresAt === undefined ? 'REMOVE expiresAt' : 'SET expiresAt = :expiresAt',
    ...(expiresAt !== undefined && { ExpressionAttributeValues: { ':expiresAt': expiresAt } }),
  };
  const on = { operation: 'expireBeside', table } as const;
  // an update without a condition would bring back an item that was removed in between
  const change = async (Key: Item): Promise<void> => {
    await db.update(on, { Key, ...set, ConditionExpression: 'attribute_exists(jobId)' });
  };
  for (const kind of ['def#', BEFORE_ALL]) {
    let last: Item | undefined;
    do {
      const page = await db.query(on, {
        KeyConditionExpression: 'jobId = :jobId AND begins_with(part, :kind)',
        ExpressionAttributeValues: { ':jobId': jobId, ':kind': kind },
        ProjectionExpression: 'jobId, part, expiresAt',
        ConsistentRead: true,
        ExclusiveStartKey: last,
      });
      const others = page.items.filter((item) => !isSame(item.expiresAt, expiresAt));
      await forEachLimit(others, CONCURRENT, ({ jobId, part }) => change({ jobId, part }));
      last = page.last;
    } while (last);
  }
  if (namespace === undefined || name === undefined) return;
  await db.update(on, {
    Key: nameKey(userId, namespace, name),
    ...set,
    ExpressionAttributeValues: { ...set.ExpressionAttributeValues, ':target': jobId },
    ConditionExpression: 'target = :target',
  });
}

const isSame = (found: unknown, wanted: unknown): boolean =>
  found === undefined || wanted === undefined
    ? found === wanted
    : Math.abs(Number(found) - Number(wanted)) < SAME_SECONDS;
