import { createDynamoStore } from '../../src/store/dynamo.ts';
import { createTables } from '../../src/store/tables.ts';
import { startDynoxide } from '../engines.ts';
import { describeStore, SHARDS } from './conformance.ts';
import { describeDifferential } from './differential.ts';

async function open() {
  const { client, stop } = await startDynoxide();
  await createTables(client, 'test-');
  return { store: createDynamoStore({ client, tablePrefix: 'test-', shards: SHARDS }), close: stop };
}

describeStore('the store on dynoxide', open);
describeDifferential('the one on dynoxide', open);
