import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { startDynoxide } from '../../support/engines.ts';
import { describeStore, SHARDS } from '../conformance.ts';
import { describeDifferential } from '../differential.ts';

const open = (groupCommit: boolean) => async () => {
  const { client, stop } = await startDynoxide();
  await createTables(client, 'test-');
  return {
    store: createDynamoStore({ client, tablePrefix: 'test-', shards: SHARDS, groupCommit }),
    close: stop,
  };
};

describeStore('the store on dynoxide, with group commit', 'step by step', open(true));
describeStore('the store on dynoxide, each call alone', 'step by step', open(false));
describeDifferential('the one on dynoxide', open(true));
