// The slots of concurrency keys, in the table of jobs and outside its index.
import type { KeyName, KeySlot } from '../../domain/jobs/concurrency-key.ts';
import { holdExpiresAt, type Item } from '../items.ts';
import type { ReadOptions } from '../store.ts';
import type { Database } from './database.ts';

const table = 'jobs';
const PART = 'slot#';

const partitionOf = ({ owner, key }: KeyName): string => `limit#${owner}#${key}`;
const keyOf = (slot: KeySlot) => ({ jobId: partitionOf(slot), part: `${PART}${slot.n}` });

/** `jobId` is the name of the partition key, so the job of the execution is `job`. */
const attributesOf = ({ jobId, due, token, leaseUntil }: KeySlot): Item => ({
  ...{ job: jobId, due, token, leaseUntil },
  expiresAt: holdExpiresAt(leaseUntil),
});

/** One page: the slots of a key have 15 KB at most. */
export async function readKeySlots(
  db: Database,
  name: KeyName,
  { consistent }: ReadOptions,
): Promise<KeySlot[]> {
  const { items } = await db.query(
    { operation: 'readKeySlots', table },
    {
      KeyConditionExpression: 'jobId = :partition AND begins_with(part, :slot)',
      ExpressionAttributeValues: { ':partition': partitionOf(name), ':slot': PART },
      ConsistentRead: consistent || undefined,
    },
  );
  return items.map((item) => slotFromItem(name, item)).sort((a, b) => a.n - b.n);
}

const slotFromItem = ({ owner, key }: KeyName, item: Item): KeySlot => ({
  ...{ owner, key, n: Number(String(item.part).slice(PART.length)) },
  ...{ jobId: String(item.job), due: String(item.due), token: String(item.token) },
  leaseUntil: Number(item.leaseUntil),
});

/** 1 WRU. */
export function writeKeySlot(db: Database, seen: KeySlot | undefined, slot: KeySlot): Promise<boolean> {
  const on = { operation: 'writeKeySlot', table } as const;
  const key = keyOf(slot);
  return seen
    ? db.change(on, { key, change: attributesOf(slot), where: { token: seen.token } })
    : db.insert(on, { key, item: { ...key, ...attributesOf(slot) } });
}

/** 1 WRU. */
export function removeKeySlot(db: Database, seen: KeySlot): Promise<boolean> {
  return db.remove(
    { operation: 'removeKeySlot', table },
    {
      Key: keyOf(seen),
      ConditionExpression: '#token = :seen',
      ExpressionAttributeNames: { '#token': 'token' },
      ExpressionAttributeValues: { ':seen': seen.token },
    },
  );
}
