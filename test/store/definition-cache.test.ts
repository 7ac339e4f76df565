import { expect, test } from 'vitest';
import { withDefinitionCache } from '../../src/store/definition-cache.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { startDynoxide } from '../support/engines.ts';
import { aJobId } from '../support/fixtures.ts';
import { SHARDS } from './conformance.ts';

test('a definition is read once, also in a page, and a missing one is read again', async () => {
  const { client, stop } = await startDynoxide();
  await createTables(client, '');
  let reads = 0;
  const meter = (_operation: string, _table: string, { read }: { read: number }) => {
    reads += read;
  };
  const store = withDefinitionCache(createDynamoStore({ client, tablePrefix: '', shards: SHARDS, meter }));
  const jobId = aJobId();
  expect(await store.readDefinition(jobId, 1)).toBeUndefined();
  const definition = { jobId, version: 1, params: { a: 1 }, notify: [] };
  await store.putDefinition(definition);
  expect(await store.readDefinition(jobId, 1)).toEqual(definition);
  reads = 0;
  expect(await store.readDefinition(jobId, 1)).toEqual(definition);
  expect(await store.readDefinitions([{ jobId, version: 1 }])).toEqual([definition]);
  expect(reads).toBe(0);
  const large = { ...definition, version: 2, params: { a: 'x'.repeat(11_000) } };
  await store.putDefinition(large);
  for (let i = 0; i < 2; i++) expect(await store.readDefinition(jobId, 2)).toEqual(large);
  expect(reads).toBeGreaterThan(1);
  await stop();
});
