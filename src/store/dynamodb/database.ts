// Requests to DynamoDB. It adds the prefix to table names, returns false for a failed condition, and reports the consumed
// capacity. Reads and writes of single items may share a request (group-commit.ts).
import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DeleteCommand,
  type DeleteCommandInput,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  type PutCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Item } from '../items.ts';
import { batchOperations } from './batch-operations.ts';
import { type Meter, measuring } from './capacity-meter.ts';
import { groupCommit } from './group-commit.ts';
import { createIndexPartitions, type IndexPartitionSettings } from './index-partitions.ts';
import type { ItemCalls, On } from './item-calls.ts';
import type { Pauses } from './retry-unprocessed.ts';
import type { TableName } from './tables.ts';
import { asPut, asUpdate } from './writes.ts';

export interface DatabaseOptions extends IndexPartitionSettings {
  readonly client: DynamoDBClient;
  readonly tablePrefix: string;
  readonly meter?: Meter;
  readonly backoff: Pauses;
  readonly groupCommit: boolean;
  readonly monotonic: () => number;
}

interface Page {
  readonly Items?: Item[];
  readonly LastEvaluatedKey?: Item;
}
const fromPage = ({ Items = [], LastEvaluatedKey }: Page): { items: Item[]; last?: Item } => ({
  items: Items,
  last: LastEvaluatedKey,
});

/** An input without the fields that are the same for every call. */
type Input<Full> = Omit<Full, 'TableName' | 'ReturnConsumedCapacity'>;

export type Database = ReturnType<typeof openDatabase>;

export function openDatabase(options: DatabaseOptions) {
  const { tablePrefix, meter, backoff } = options;
  const client = DynamoDBDocumentClient.from(options.client, {
    marshallOptions: { removeUndefinedValues: true },
  });
  const nameOf = (table: TableName): string => `${tablePrefix}${table}`;
  const measured = measuring(meter);
  const { measure, measureRefused, ReturnConsumedCapacity } = measured;
  const at = (on: On) => ({ TableName: nameOf(on.table), ReturnConsumedCapacity });

  async function unlessRefused<T>(on: On, write: Promise<T>): Promise<T | undefined> {
    try {
      return await write;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      measureRefused(on);
      return undefined;
    }
  }

  /** False if the condition did not hold. */
  async function put(on: On, input: Input<PutCommandInput>): Promise<boolean> {
    const done = await unlessRefused(on, client.send(new PutCommand({ ...input, ...at(on) })));
    measure(on, 'write', done?.ConsumedCapacity);
    return done !== undefined;
  }

  /** The attributes that `ReturnValues` names. Undefined if the condition did not hold. */
  async function update(on: On, input: Input<UpdateCommandInput>): Promise<Item | undefined> {
    const done = await unlessRefused(on, client.send(new UpdateCommand({ ...input, ...at(on) })));
    measure(on, 'write', done?.ConsumedCapacity);
    return done && (done.Attributes ?? {});
  }

  const single: ItemCalls = {
    async get(on, Key, ConsistentRead) {
      const done = await client.send(new GetCommand({ Key, ConsistentRead, ...at(on) }));
      measure(on, 'read', done.ConsumedCapacity);
      return done.Item;
    },
    insert: (on, insert) => put(on, asPut(insert)),
    change: async (on, change) => (await update(on, asUpdate(change))) !== undefined,
  };

  /** False if the condition did not hold. */
  async function remove(on: On, input: Input<DeleteCommandInput>): Promise<boolean> {
    const done = await unlessRefused(on, client.send(new DeleteCommand({ ...input, ...at(on) })));
    measure(on, 'write', done?.ConsumedCapacity);
    return done !== undefined;
  }

  /** One page of at most 1 MB. */
  async function query(on: On, input: Input<QueryCommandInput>): Promise<{ items: Item[]; last?: Item }> {
    const page = await client.send(new QueryCommand({ ...input, ...at(on) }));
    measure(on, 'read', page.ConsumedCapacity);
    return fromPage(page);
  }

  /** One page of at most 1 MB. */
  async function scan(on: On, input: Input<ScanCommandInput>): Promise<{ items: Item[]; last?: Item }> {
    const page = await client.send(new ScanCommand({ ...input, ...at(on) }));
    measure(on, 'read', page.ConsumedCapacity);
    return fromPage(page);
  }

  const { getAll, putAll, removeAll, execute } = batchOperations({ client, backoff, measured, nameOf });
  const unbatched = { ...single, putAll };
  return {
    ...(options.groupCommit
      ? groupCommit({ ...unbatched, getAll, execute, nameOf, timer: backoff })
      : unbatched),
    put,
    update,
    remove,
    query,
    scan,
    getAll,
    removeAll,
    indexPartitions: createIndexPartitions({ get: single.get, update }, options, options.monotonic),
  };
}
