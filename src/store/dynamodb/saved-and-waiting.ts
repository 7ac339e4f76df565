// What stands beside the rows of executions, in the partition of their job: the checkpoints of tasks, and the executions that
// wait for another one.
import type { DueKey } from '../../domain/executions/ids.ts';
import { seconds } from '../items.ts';
import type { ExecutionKey } from '../store.ts';
import type { Database } from './database.ts';

const table = 'jobs';
const WAIT = 'wait#';
const WAIT_KEPT_MS = 30 * 86_400_000;

const checkpointKey = ({ jobId, due }: ExecutionKey) => ({ jobId, part: `checkpoint#${due}` });
const waitKey = ({ jobId, due }: ExecutionKey) => ({ jobId, part: `${WAIT}${due}` });

/** False if a claim with a larger number has saved one. `number` is about the time of the claim. 1 WRU per KB. */
export function putCheckpoint(
  db: Database,
  retentionMs: number,
  key: ExecutionKey,
  number: number,
  checkpoint: unknown,
): Promise<boolean> {
  return db.put(
    { operation: 'putCheckpoint', table },
    {
      Item: {
        ...checkpointKey(key),
        number,
        checkpoint: JSON.stringify(checkpoint),
        expiresAt: seconds(number + retentionMs),
      },
      ConditionExpression: 'attribute_not_exists(jobId) OR #number <= :number',
      ExpressionAttributeNames: { '#number': 'number' },
      ExpressionAttributeValues: { ':number': number },
    },
  );
}

/** Consistent: 1 RRU per 4 KB. */
export async function readCheckpoint(db: Database, key: ExecutionKey): Promise<unknown> {
  const item = await db.get({ operation: 'readCheckpoint', table }, checkpointKey(key), true);
  return item && JSON.parse(String(item.checkpoint));
}

/** 1 WRU. A wait that nobody removes expires. */
export async function putWait(db: Database, key: ExecutionKey, at: number): Promise<void> {
  const expiresAt = seconds(at + WAIT_KEPT_MS);
  await db.putAll({ operation: 'putWait', table }, [{ ...waitKey(key), at, expiresAt }]);
}

/** Consistent: 1 RRU. */
export async function firstWait(
  db: Database,
  jobId: string,
): Promise<{ due: DueKey; at: number } | undefined> {
  const { items } = await db.query(
    { operation: 'firstWait', table },
    {
      KeyConditionExpression: 'jobId = :jobId AND begins_with(part, :wait)',
      ExpressionAttributeValues: { ':jobId': jobId, ':wait': WAIT },
      ConsistentRead: true,
      Limit: 1,
    },
  );
  const [first] = items;
  return first && { due: String(first.part).slice(WAIT.length), at: Number(first.at) };
}

/** 1 WRU. */
export async function removeWait(db: Database, key: ExecutionKey, at: number): Promise<void> {
  await db.remove(
    { operation: 'removeWait', table },
    {
      Key: waitKey(key),
      ConditionExpression: '#at = :at',
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: { ':at': at },
    },
  );
}
