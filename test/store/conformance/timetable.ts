import { describe, expect, test } from 'vitest';
import { dueKey, shardOf } from '../../../src/domain/executions/ids.ts';
import { type Entry, entryKey, MINUTE, minuteOf } from '../../../src/domain/executions/slots.ts';
import type { Store } from '../../../src/store/store.ts';
import { aJobId, anEntry, anId, T0 } from '../../support/fixtures.ts';
import { SHARDS, type Subject } from '../conformance.ts';

/** A minute that no other test uses. */
let nextMinute = minuteOf(T0) + Math.floor(Math.random() * 1e6);
const aMinute = (): number => nextMinute++ * MINUTE;

const keyOrder = (a: Entry, b: Entry): number => (entryKey(a) < entryKey(b) ? -1 : 1);

async function wholeSlot(store: Store, at: number, shard: number): Promise<Entry[][]> {
  const pages: Entry[][] = [];
  let cursor: string | undefined;
  do {
    const page = await store.readSlot(minuteOf(at), shard, cursor);
    pages.push([...page.items]);
    cursor = page.next;
  } while (cursor);
  return pages;
}

export function timetableConformance(subject: Subject): void {
  describe('timetable', () => {
    test('2,500 entries in one call are all there, each in its slot, in order', async () => {
      const store = subject();
      const start = aMinute();
      const entries = Array.from({ length: 2_500 }, (_, i) => anEntry({ at: start + ((i * 37) % MINUTE) }));
      await store.putEntries(entries);
      for (let shard = 0; shard < SHARDS; shard++) {
        const wanted = entries.filter((entry) => shardOf(entry.jobId, SHARDS) === shard).sort(keyOrder);
        expect((await wholeSlot(store, start, shard)).flat()).toStrictEqual(wanted);
      }
    });

    test('a slot of more than 1 MB is read page by page, each entry once', async () => {
      const store = subject();
      const at = aMinute();
      const jobId = aJobId();
      const entries = Array.from({ length: 2_000 }, (_, i) =>
        anEntry({ at: at + i, jobId, revision: `${anId(12)}${'x'.repeat(700)}` }),
      );
      await store.putEntries(entries);
      const pages = await wholeSlot(store, at, shardOf(jobId, SHARDS));
      expect(pages.length).toBeGreaterThan(1);
      expect(pages.flat()).toStrictEqual(entries.sort(keyOrder));
    });

    test('an entry written twice, in one call or in two, is there once', async () => {
      const store = subject();
      const entry = anEntry({ at: aMinute() });
      await store.putEntries([entry, entry, { ...entry }]);
      await store.putEntries([entry]);
      expect((await wholeSlot(store, entry.at, shardOf(entry.jobId, SHARDS))).flat()).toStrictEqual([entry]);
    });

    test('entries of one execution that differ in kind or revision are different entries', async () => {
      const store = subject();
      const entry = anEntry({ at: aMinute() });
      const entries = [
        entry,
        { ...entry, kind: 'check' as const },
        { ...entry, kind: 'byHand' as const },
        { ...entry, revision: anId(12) },
        { ...entry, due: `${dueKey(T0)}-k3f9a1` },
      ];
      await store.putEntries(entries);
      const found = (await wholeSlot(store, entry.at, shardOf(entry.jobId, SHARDS))).flat();
      expect(found).toStrictEqual([...entries].sort(keyOrder));
    });

    test('the last millisecond of a minute and the first of the next are in different slots', async () => {
      const store = subject();
      const start = aMinute();
      aMinute();
      const jobId = aJobId();
      const last = anEntry({ at: start + MINUTE - 1, jobId });
      const first = anEntry({ at: start + MINUTE, jobId });
      await store.putEntries([last, first]);
      const shard = shardOf(jobId, SHARDS);
      expect((await wholeSlot(store, start, shard)).flat()).toStrictEqual([last]);
      expect((await wholeSlot(store, start + MINUTE, shard)).flat()).toStrictEqual([first]);
    });

    test('an empty write does nothing, and a slot without entries is empty', async () => {
      const store = subject();
      await store.putEntries([]);
      expect(await store.readSlot(minuteOf(aMinute()), 0)).toEqual({ items: [], next: undefined });
    });

    test('hasEntry finds exactly the written entries', async () => {
      const store = subject();
      const entry = anEntry({ at: aMinute() });
      expect(await store.hasEntry(entry)).toBe(false);
      await store.putEntries([entry]);
      expect(await store.hasEntry(entry)).toBe(true);
      expect(await store.hasEntry({ ...entry, revision: anId(12) })).toBe(false);
      expect(await store.hasEntry({ ...entry, at: entry.at + 1 })).toBe(false);
    });
  });
}
