// Names of jobs, in the table of jobs and outside its index. A namespace of a user is one partition.
import type { NamePointer } from '../../domain/jobs/job-name.ts';
import { jobExpiry } from '../items.ts';
import type { Database } from './database.ts';

const table = 'jobs';
/** A namespace has no `#`, so the key is unambiguous for every user id. */
export const namespacePartition = (userId: string, namespace: string): string =>
  `name#${userId}#${namespace}`;

export const nameKey = (userId: string, namespace: string, name: string) => ({
  jobId: namespacePartition(userId, namespace),
  part: name,
});

/** Consistent: 1 RRU. */
export async function readName(
  db: Database,
  userId: string,
  namespace: string,
  name: string,
): Promise<NamePointer | undefined> {
  const item = await db.get({ operation: 'readName', table }, nameKey(userId, namespace, name), true);
  return (
    item && {
      userId,
      namespace,
      name,
      jobId: String(item.target),
      ...(item.previous !== undefined && { previous: String(item.previous) }),
      stamp: String(item.stamp),
    }
  );
}

/** Succeeds if the stamp is as seen. If `seen` is undefined, succeeds if there is no item. 1 WRU. */
export function writeName(
  db: Database,
  keptMs: number,
  seen: NamePointer | undefined,
  { userId, namespace, name, jobId, previous, stamp }: NamePointer,
  end: number | undefined,
): Promise<boolean> {
  const condition = seen
    ? { ConditionExpression: 'stamp = :seen', ExpressionAttributeValues: { ':seen': seen.stamp } }
    : { ConditionExpression: 'attribute_not_exists(jobId)' };
  return db.put(
    { operation: 'writeName', table },
    {
      Item: {
        ...{ ...nameKey(userId, namespace, name), target: jobId, previous, stamp },
        ...jobExpiry(end, keptMs),
      },
      ...condition,
    },
  );
}
