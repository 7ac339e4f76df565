// The number of index partitions is raised on a running system, readers first. Lists miss nothing, cursors go on, and a lowered
// number hides nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import type { Head } from '../../../src/domain/jobs/job.ts';
import { ConfigError, readStoreConfig } from '../../../src/runtime/config.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createIndexPartitions } from '../../../src/store/dynamodb/index-partitions.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import type { Page, Store } from '../../../src/store/store.ts';
import { newestFirst, ownersOf } from '../../../src/store/user-index.ts';
import { startDynoxide } from '../../support/engines.ts';
import { aHead, aRow, T0 } from '../../support/fixtures.ts';

let engine: Awaited<ReturnType<typeof startDynoxide>>;
let prefix = '';
let number = 0;
beforeAll(async () => {
  engine = await startDynoxide();
});
afterAll(() => engine.stop());
beforeEach(async () => {
  prefix = `p${++number}-`;
  await createTables(engine.client, prefix);
});

const used = new Map<string, number>();
const open = (indexPartitions?: number, indexPartitionsWritten?: number, monotonic?: () => number): Store =>
  createDynamoStore({
    ...{ client: engine.client, tablePrefix: prefix, shards: 4, indexPartitions, indexPartitionsWritten },
    monotonic,
    meter: (operation, _table, { read, write }) =>
      used.set(operation, (used.get(operation) ?? 0) + read + write),
  });

/** Each store writes heads and failed rows of one user in turn. Returns the job ids, newest first. */
async function write(stores: readonly Store[], count: number, from = 0): Promise<string[]> {
  const heads = Array.from({ length: count }, (_, i) => aHead({ userId: 'u', createdAt: T0 + from + i }));
  await Promise.all(
    heads.map(async (head: Head, i) => {
      const store = stores[i % stores.length] as Store;
      await store.insertHead(head);
      await store.insertRow(
        aRow({ jobId: head.jobId, userId: 'u', due: dueKey(T0 + from + i), status: 'FAILED' }),
      );
    }),
  );
  return heads.map(({ jobId }) => jobId).reverse();
}

type Read = (cursor?: string) => Promise<Page<{ jobId: string }>>;
async function idsOf(read: Read): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined, first = true; first || cursor; first = false) {
    const page = await read(cursor);
    found.push(...page.items.map(({ jobId }) => jobId));
    cursor = page.next;
  }
  return found;
}
const lists = (store: Store): Record<string, Read> => ({
  heads: (cursor) => store.listHeads('u', { limit: 7, cursor }),
  rows: (cursor) => store.listRowKeys('u', { limit: 7, cursor }),
  failures: (cursor) => store.listFailedKeys('u', { limit: 7, cursor }),
});
async function expectAll(store: Store, ids: readonly string[]): Promise<void> {
  for (const [name, read] of Object.entries(lists(store))) expect(await idsOf(read), name).toEqual(ids);
}

describe('raised on a running system', () => {
  test('readers first, then writers one after the other: every list has everything at every step', async () => {
    const [oldReader, newReader] = [open(), open(16)];
    let ids = await write([open()], 20);
    await expectAll(oldReader, ids);
    await expectAll(newReader, ids);
    // some writers have the new number, some not yet
    ids = [...(await write([open(16), open(16, 16)], 40, 20)), ...ids];
    await expectAll(newReader, ids);
    ids = [...(await write([open(16, 16)], 20, 60)), ...ids];
    await expectAll(newReader, ids);
    const all = await idsOf((cursor) => newReader.listAllFailedKeys({ limit: 7, cursor }));
    expect(all.sort()).toEqual([...ids].sort());
  });

  test('a cursor of before goes on', async () => {
    const before = open();
    const ids = await write([before], 20);
    for (const [name, read] of Object.entries(lists(before))) {
      const { items, next } = await read();
      const more = lists(open(32))[name] as Read;
      const rest = await idsOf((cursor) => more(cursor ?? next));
      expect([...items.map(({ jobId }) => jobId), ...rest], name).toEqual(ids);
    }
    const newer = await write([open(32, 32)], 20, 20);
    await expectAll(open(32), [...newer, ...ids]);
  });

  test('a row that a writer with another number updates moves to another partition, and is listed once', async () => {
    const [first, second] = [open(), open(16, 16)];
    const rows = Array.from({ length: 20 }, (_, i) =>
      aRow({ userId: 'u', due: dueKey(T0 + i), status: 'RUNNING' }),
    );
    for (const row of rows) {
      await first.insertRow(row);
      expect(await second.updateRow(row, { ...row, status: 'FAILED' })).toBe(true);
    }
    const ids = rows.map(({ jobId }) => jobId).reverse();
    expect(await idsOf((cursor) => second.listRowKeys('u', { limit: 7, cursor }))).toEqual(ids);
    expect(await idsOf((cursor) => second.listFailedKeys('u', { limit: 7, cursor }))).toEqual(ids);
  });

  test('an item that is in two partitions for a moment is listed once', async () => {
    const items = ['3', '2', '1'].map((sortKey) => ({ sortKey, value: sortKey }));
    const page = await newestFirst(ownersOf('u', 4), undefined, 5, async () => ({ items, more: false }));
    expect(page.items.map(({ value }) => value)).toEqual(['3', '2', '1']);
  });
});

describe('lowered', () => {
  test('lists still read what was written with the higher number', async () => {
    const ids = await write([open(16, 16)], 40);
    await expectAll(open(), ids);
    await expectAll(open(8, 8), ids);
    // the record keeps the highest number
    const more = await write([open(8, 8)], 10, 40);
    await expectAll(open(), [...more, ...ids]);
  });

  test('a running reader with too low a number learns of it within a minute', async () => {
    let now = 0;
    const reader = open(4, 4, () => now);
    await expectAll(reader, []);
    const ids = await write([open(16, 16)], 40);
    now = 60_000;
    await expectAll(reader, ids);
  });
});

describe('cost', () => {
  test('the record is written once by a process, and never with the default', async () => {
    used.clear();
    await write([open()], 5);
    expect(used.has('recordIndexPartitions')).toBe(false);
    await write([open(16, 16)], 5, 5);
    expect(used.get('recordIndexPartitions')).toBe(1);
  });

  test('the record is read once a minute', async () => {
    used.clear();
    let now = 0;
    const store = open(4, 4, () => now);
    for (now = 0; now < 120_000; now += 10_000) await store.listHeads('u', { limit: 5 });
    expect(used.get('readIndexPartitions')).toBe(1);
  });

  test('a record that could not be written is written before the next item, and concurrent writes share it', async () => {
    let calls = 0;
    const update = async () => {
      if (++calls === 1) throw new Error('throttled');
      return {};
    };
    const get = async () => undefined;
    const settings = { indexPartitions: 16, indexPartitionsWritten: 16 };
    const partitions = createIndexPartitions({ get, update }, settings, () => 0);
    await expect(partitions.record()).rejects.toThrow('throttled');
    await Promise.all([partitions.record(), partitions.record()]);
    expect(calls).toBe(2);
    expect(partitions.record()).toBeUndefined();
  });
});

describe('settings', () => {
  test.each([3, 4.5, 257, Number.NaN])('%d partitions are refused', (count) => {
    expect(() => open(count)).toThrow('indexPartitions must be a whole number from 4 to 256');
  });

  test('writers may not have more than readers', () => {
    expect(() => open(8, 16)).toThrow('indexPartitionsWritten must be at most indexPartitions (8), got 16');
    const read = (env: Record<string, string>) => () => readStoreConfig(env);
    expect(read({ PUNCTUAL_INDEX_PARTITIONS_WRITTEN: '16' })).toThrow(ConfigError);
    expect(read({ PUNCTUAL_INDEX_PARTITIONS_WRITTEN: '16' })).toThrow(
      'PUNCTUAL_INDEX_PARTITIONS_WRITTEN must be at most PUNCTUAL_INDEX_PARTITIONS (4), got 16',
    );
    expect(read({ PUNCTUAL_INDEX_PARTITIONS: '3' })).toThrow('PUNCTUAL_INDEX_PARTITIONS');
    expect(
      readStoreConfig({ PUNCTUAL_INDEX_PARTITIONS: '16', PUNCTUAL_INDEX_PARTITIONS_WRITTEN: '8' }),
    ).toMatchObject({
      indexPartitions: 16,
      indexPartitionsWritten: 8,
    });
  });
});
