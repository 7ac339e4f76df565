// The store against DynamoDB Local. Run by `npm run test:conformance`, which finds or fetches it.
import { describe, test } from 'vitest';
import { createDynamoStore } from '../../src/store/dynamo.ts';
import { createTables } from '../../src/store/tables.ts';
import { describeStore, SHARDS } from '../store/conformance.ts';
import { describeDifferential } from '../store/differential.ts';
import { startDynamoDbLocal } from './dynamodb-local.ts';

const directory = process.env.DYNAMODB_LOCAL;

if (!directory) {
  describe('the store on DynamoDB Local', () => {
    test.skip('DYNAMODB_LOCAL does not say where DynamoDBLocal.jar is');
  });
} else {
  const open = async () => {
    const { client, stop } = await startDynamoDbLocal(directory);
    await createTables(client, 'test-');
    return { store: createDynamoStore({ client, tablePrefix: 'test-', shards: SHARDS }), close: stop };
  };
  describeStore('the store on DynamoDB Local', open);
  describeDifferential('the one on DynamoDB Local', open);
}
