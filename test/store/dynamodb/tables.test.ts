import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import type { Row } from '../../../src/domain/executions/row.ts';
import type { Head } from '../../../src/domain/jobs/job.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables, TABLES } from '../../../src/store/dynamodb/tables.ts';
import type { Page } from '../../../src/store/store.ts';
import { startDynoxide } from '../../support/engines.ts';
import { aHead, aRow, T0 } from '../../support/fixtures.ts';

describe('tables', () => {
  let engine: Awaited<ReturnType<typeof startDynoxide>>;
  beforeAll(async () => {
    engine = await startDynoxide();
  });
  afterAll(() => engine.stop());

  test('are created as the schema says, with TTL', async () => {
    await createTables(engine.client, 'a-');
    for (const table of TABLES) {
      const TableName = `a-${table.name}`;
      const { Table } = await engine.client.send(new DescribeTableCommand({ TableName }));
      expect(Table?.KeySchema?.map((key) => key.AttributeName)).toEqual(
        [table.partitionKey, table.sortKey].filter(Boolean),
      );
      const projections = Table?.GlobalSecondaryIndexes?.map(
        ({ Projection }) => Projection?.NonKeyAttributes ?? [],
      );
      expect((projections ?? []).map((names) => [...names].sort())).toEqual(
        table.indexes.map(({ include }) => [...include].sort()),
      );
      const { TimeToLiveDescription } = await engine.client.send(
        new DescribeTimeToLiveCommand({ TableName }),
      );
      expect(TimeToLiveDescription).toMatchObject({
        AttributeName: 'expiresAt',
        TimeToLiveStatus: 'ENABLED',
      });
    }
  });

  test('an index takes 20 projected attributes at most', () => {
    for (const { indexes } of TABLES)
      for (const index of indexes) expect(index.include.length).toBeLessThanOrEqual(20);
  });

  test('an index that an older version did not have is added, and has the existing items', async () => {
    const older = TABLES.map((table) => ({ ...table, indexes: table.indexes.slice(0, 1) }));
    await createTables(engine.client, 'c-', older);
    const store = createDynamoStore({ client: engine.client, tablePrefix: 'c-', shards: 4 });
    const row = aRow({ status: 'FAILED' });
    await store.insertRow(row);
    await createTables(engine.client, 'c-');
    const { items } = await store.listFailedKeys(row.userId, { limit: 5 });
    expect(items).toMatchObject([{ jobId: row.jobId, due: row.due }]);
  });

  test('the number of index partitions can be raised, and lists find the items of both numbers', async () => {
    await createTables(engine.client, 'd-');
    const open = (indexPartitions?: number) =>
      createDynamoStore({ client: engine.client, tablePrefix: 'd-', shards: 4, indexPartitions });
    const [before, after] = [open(), open(16)];
    const heads = Array.from({ length: 40 }, (_, i) => aHead({ userId: 'u', createdAt: T0 + i }));
    const rows = heads.map(({ jobId }, i) =>
      aRow({ jobId, userId: 'u', due: dueKey(T0 + i), status: 'FAILED' }),
    );
    const writers = heads.map((_, i) => (i % 2 ? before : after));
    await Promise.all(writers.map((store, i) => store.insertHead(heads[i] as Head)));
    await Promise.all(writers.map((store, i) => store.insertRow(rows[i] as Row)));

    const newest = heads.map(({ jobId }) => jobId).reverse();
    const idsOf = async (read: (cursor?: string) => Promise<Page<{ jobId: string }>>) => {
      const found: string[] = [];
      for (let cursor: string | undefined, first = true; first || cursor; first = false) {
        const page = await read(cursor);
        found.push(...page.items.map(({ jobId }) => jobId));
        cursor = page.next;
      }
      return found;
    };
    expect(await idsOf((cursor) => after.listHeads('u', { limit: 7, cursor }))).toEqual(newest);
    expect(await idsOf((cursor) => after.listRowKeys('u', { limit: 7, cursor }))).toEqual(newest);
    expect(await idsOf((cursor) => after.listFailedKeys('u', { limit: 7, cursor }))).toEqual(newest);
    const all = await idsOf((cursor) => after.listAllFailedKeys({ limit: 7, cursor }));
    expect(all.sort()).toEqual([...newest].sort());
    expect(await after.readHead(newest[0] as string, { consistent: true })).toEqual(heads.at(-1));
    // without items in these partitions the test would prove nothing
    expect(await idsOf((cursor) => before.listHeads('u', { limit: 7, cursor }))).not.toEqual(newest);
  });

  test.each([3, 4.5, Number.NaN])('%d index partitions are refused', (indexPartitions) => {
    const { client } = engine;
    expect(() => createDynamoStore({ client, tablePrefix: 'e-', shards: 4, indexPartitions })).toThrow(
      'indexPartitions must be a whole number of at least 4',
    );
  });

  test('are created once by several concurrent processes, and keep their items', async () => {
    await Promise.all(Array.from({ length: 4 }, () => createTables(engine.client, 'b-')));
    const store = createDynamoStore({ client: engine.client, tablePrefix: 'b-', shards: 4 });
    const head = aHead();
    await store.insertHead(head);
    await createTables(engine.client, 'b-');
    expect(await store.readHead(head.jobId, { consistent: true })).toEqual(head);
  });
});
