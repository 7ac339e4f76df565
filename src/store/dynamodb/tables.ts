// Creates the tables of table-schemas.ts, for local mode and tests. The CDK stack reads the same schemas, so they cannot drift.
import {
  type AttributeDefinition,
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { type IndexSchema, TABLES, type TableSchema, TTL_ATTRIBUTE } from './table-schemas.ts';

export * from './table-schemas.ts';

/** Creates the tables and indexes that are missing and returns when all of them are active. */
export async function createTables(
  client: DynamoDBClient,
  prefix: string,
  tables: readonly TableSchema[] = TABLES,
): Promise<void> {
  await Promise.all(
    tables.map(async (table) => {
      const TableName = `${prefix}${table.name}`;
      const found = await describe(client, TableName);
      if (!found) await create(client, TableName, table);
      await active(client, TableName);
      if (found) await addIndexes(client, TableName, table, found);
      await expire(client, TableName);
    }),
  );
}

async function active(client: DynamoDBClient, TableName: string): Promise<void> {
  while ((await describe(client, TableName))?.TableStatus !== 'ACTIVE')
    await new Promise((r) => setTimeout(r, 250));
}

/** Adds missing indexes to a table of an earlier version, one at a time as DynamoDB requires. */
async function addIndexes(
  client: DynamoDBClient,
  TableName: string,
  table: TableSchema,
  found: TableDescription,
): Promise<void> {
  const there = new Set(found.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
  for (const { IndexName, Projection } of found.GlobalSecondaryIndexes ?? []) {
    const wanted = table.indexes.find(({ name }) => name === IndexName)?.include ?? [];
    if (wanted.some((name) => !Projection?.NonKeyAttributes?.includes(name)))
      throw new Error(
        `${TableName} was created by a version with another layout of items; use a new table prefix`,
      );
  }
  for (const index of table.indexes.filter(({ name }) => !there.has(name))) {
    await client.send(
      new UpdateTableCommand({
        TableName,
        AttributeDefinitions: attributes(table),
        GlobalSecondaryIndexUpdates: [{ Create: indexOf(index) }],
      }),
    );
    await active(client, TableName);
  }
}

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function create(client: DynamoDBClient, TableName: string, table: TableSchema): Promise<void> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: attributes(table),
        KeySchema: keySchema(table),
        GlobalSecondaryIndexes: table.indexes.length === 0 ? undefined : table.indexes.map(indexOf),
      }),
    );
  } catch (error) {
    // another process creates it at the same time
    if (!(error instanceof ResourceInUseException)) throw error;
  }
}

async function expire(client: DynamoDBClient, TableName: string): Promise<void> {
  const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING') return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName,
      TimeToLiveSpecification: { AttributeName: TTL_ATTRIBUTE, Enabled: true },
    }),
  );
}

function attributes(table: TableSchema): AttributeDefinition[] {
  const names = [table, ...table.indexes].flatMap((keys) => [keys.partitionKey, keys.sortKey ?? []].flat());
  return [...new Set(names)].map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const }));
}

function keySchema({ partitionKey, sortKey }: { partitionKey: string; sortKey?: string }) {
  const hash = { AttributeName: partitionKey, KeyType: 'HASH' as const };
  return sortKey === undefined ? [hash] : [hash, { AttributeName: sortKey, KeyType: 'RANGE' as const }];
}

function indexOf(index: IndexSchema) {
  return {
    IndexName: index.name,
    KeySchema: keySchema(index),
    Projection:
      index.include.length === 0
        ? { ProjectionType: 'KEYS_ONLY' as const }
        : { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...index.include] },
  };
}
