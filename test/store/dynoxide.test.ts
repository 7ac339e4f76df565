import { createDynamoStore } from '../../src/store/dynamo.ts';
import { createTables } from '../../src/store/tables.ts';
import { startDynoxide } from '../engines.ts';
import { describeStore, SHARDS } from './conformance.ts';
import { describeDifferential } from './differential.ts';

const open = (oneWriter: boolean) => async () => {
  const { client, stop } = await startDynoxide();
  await createTables(client, 'test-');
  return {
    store: createDynamoStore({ client, tablePrefix: 'test-', shards: SHARDS, oneWriter }),
    close: stop,
  };
};

describeStore('the store on dynoxide', open(false));
describeStore('the store on dynoxide, as local mode uses it', open(true));
describeDifferential('the one on dynoxide', open(true));
