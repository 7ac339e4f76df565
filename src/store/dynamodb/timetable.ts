// The timetable. An entry is immutable and has no attributes but its key. TTL removes entries at no cost.
import { shardOf } from '../../domain/executions/ids.ts';
import {
  type Entry,
  entryKey,
  keptMs,
  minuteOf,
  parseEntryKey,
  slotKey,
} from '../../domain/executions/slots.ts';
import { decodeCursor, encodeCursor } from '../cursors.ts';
import { seconds } from '../items.ts';
import type { Page, ReadOptions } from '../store.ts';
import type { Database } from './database.ts';

const table = 'timetable';
const ENTRY_KEY = /^\d{13}#/;

/** The number of shards. All writers and watchers must use the same one (docs/architecture.md#tables). */
export type Shards = number;

const keyOf = (entry: Entry, shards: Shards) => ({
  slot: slotKey(minuteOf(entry.at), shardOf(entry.jobId, shards)),
  key: entryKey(entry),
});

/** 1 WRU each. One request per 25 entries. */
export async function putEntries(
  db: Database,
  shards: Shards,
  now: number,
  entries: readonly Entry[],
): Promise<void> {
  const items = entries.map((entry) => ({
    ...keyOf(entry, shards),
    expiresAt: seconds(Math.max(entry.at, now) + keptMs(entry)),
  }));
  // DynamoDB rejects a batch with the same key twice
  const distinct = new Map(items.map((item) => [item.key, item]));
  await db.putAll({ operation: 'putEntries', table }, [...distinct.values()]);
}

/**
 * One page of at most 1 MB, which is about 7,000 entries. 1 RRU per 4 KB, about 0.03 per entry. Half of it if not
 * consistent.
 */
export async function readSlot(
  db: Database,
  minute: number,
  shard: number,
  cursor: string | undefined,
  { consistent }: ReadOptions,
): Promise<Page<Entry>> {
  const slot = slotKey(minute, shard);
  const after = decodeCursor(cursor, ENTRY_KEY);
  const { items, last } = await db.query(
    { operation: 'readSlot', table },
    {
      KeyConditionExpression: '#slot = :slot',
      ProjectionExpression: '#key',
      ExpressionAttributeNames: { '#slot': 'slot', '#key': 'key' },
      ExpressionAttributeValues: { ':slot': slot },
      ConsistentRead: consistent || undefined,
      ExclusiveStartKey: after === undefined ? undefined : { slot, key: after },
    },
  );
  return {
    items: items.map(({ key }) => parseEntryKey(String(key))),
    next: last && encodeCursor(String(last.key)),
  };
}

/** Consistent: 1 RRU. */
export async function hasEntry(db: Database, shards: Shards, entry: Entry): Promise<boolean> {
  const item = await db.get({ operation: 'hasEntry', table }, keyOf(entry, shards), true);
  return item !== undefined;
}
