// The conformance suite of the store on DynamoDB Local. `npm run test:conformance` runs it, and finds or downloads the engine.
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { describeStore, SHARDS } from '../store/conformance.ts';
import { describeDifferential } from '../store/differential.ts';
import { startDynamoDbLocal } from './dynamodb-local.ts';

const directory = process.env.DYNAMODB_LOCAL;

if (!directory)
  throw new Error('DYNAMODB_LOCAL must say where DynamoDBLocal.jar is: npm run test:conformance does');

const open = async () => {
  const { client, stop } = await startDynamoDbLocal(directory);
  await createTables(client, 'test-');
  return { store: createDynamoStore({ client, tablePrefix: 'test-', shards: SHARDS }), close: stop };
};
describeStore('the store on DynamoDB Local', 'step by step', open);
describeDifferential('the one on DynamoDB Local', open);
