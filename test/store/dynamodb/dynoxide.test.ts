import { callDirectly } from '../../../src/aws/direct-calls.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { startDynoxide } from '../../engines.ts';
import { describeStore, SHARDS } from '../conformance.ts';
import { describeDifferential } from '../differential.ts';

const open = (oneWriter: boolean, direct: boolean) => async () => {
  const { client, stop } = await startDynoxide();
  if (direct) callDirectly(client);
  await createTables(client, 'test-');
  return {
    store: createDynamoStore({ client, tablePrefix: 'test-', shards: SHARDS, oneWriter }),
    close: stop,
  };
};

describeStore('the store on dynoxide, as a worker uses it', open(false, true));
describeStore('the store on dynoxide, as local mode uses it', open(true, true));
describeDifferential('the one on dynoxide', open(false, false));
