// The timetable. An entry is immutable and has no fields but its key.
import { chunksOf } from '../../concurrency/map-limit.ts';
import { shardOf } from '../../domain/executions/ids.ts';
import { type Entry, entryKey, minuteOf, parseEntryKey } from '../../domain/executions/slots.ts';
import { decodeCursor, encodeCursor } from '../cursors.ts';
import type { TimetableStore } from '../store.ts';
import { changing, type Reader, type Writer } from './statements.ts';

const ENTRY_KEY = /^\d{13}#/;
/** Entries in one statement. A watcher's pass has thousands of entries, and other writes go between its chunks. */
const CHUNK = 100;

const PUT_ONE = changing(
  'INSERT INTO timetable (minute, shard, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
);
/** The value is a JSON array with minute, shard and key of each entry. */
const PUT_MANY = changing(
  `INSERT INTO timetable (minute, shard, key)
   SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
);
const READ = 'SELECT key FROM timetable WHERE minute = ? AND shard = ? AND key > ? ORDER BY key LIMIT ?';
const HAS = 'SELECT 1 FROM timetable WHERE minute = ? AND shard = ? AND key = ?';

/** `slotPage`: number of entries in a page of a slot. */
export function timetableOperations(
  reader: Reader,
  writer: Writer,
  shards: number,
  slotPage: number,
): TimetableStore {
  const keyOf = (entry: Entry): [number, number, string] => [
    minuteOf(entry.at),
    shardOf(entry.jobId, shards),
    entryKey(entry),
  ];
  return {
    async putEntries(entries) {
      const [first] = entries;
      if (first && entries.length === 1) {
        await writer.write(PUT_ONE, keyOf(first), 'person', '');
        return;
      }
      const chunks = chunksOf(entries, CHUNK).map((chunk) => JSON.stringify(chunk.map(keyOf)));
      await Promise.all(chunks.map((values) => writer.write(PUT_MANY, [values], 'person', '')));
    },
    async readSlot(minute, shard, cursor) {
      const after = decodeCursor(cursor, ENTRY_KEY) ?? '';
      const keys = reader.all(READ, minute, shard, after, slotPage + 1).map(([key]) => String(key));
      const last = keys[slotPage - 1];
      return {
        items: keys.slice(0, slotPage).map(parseEntryKey),
        next: keys.length > slotPage && last !== undefined ? encodeCursor(last) : undefined,
      };
    },
    async hasEntry(entry) {
      return reader.one(HAS, ...keyOf(entry)) !== undefined;
    },
  };
}
