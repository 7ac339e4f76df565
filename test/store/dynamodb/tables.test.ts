import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables, TABLES } from '../../../src/store/dynamodb/tables.ts';
import { startDynoxide } from '../../support/engines.ts';
import { aHead, aRow } from '../../support/fixtures.ts';

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

  test('are created once by several concurrent processes, and keep their items', async () => {
    await Promise.all(Array.from({ length: 4 }, () => createTables(engine.client, 'b-')));
    const store = createDynamoStore({ client: engine.client, tablePrefix: 'b-', shards: 4 });
    const head = aHead();
    await store.insertHead(head);
    await createTables(engine.client, 'b-');
    expect(await store.readHead(head.jobId, { consistent: true })).toEqual(head);
  });
});
