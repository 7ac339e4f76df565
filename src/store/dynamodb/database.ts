// How the store talks to DynamoDB: table names with their prefix, refused conditions as `false`, and a meter that is told
// what each operation costs. Reads and writes of one item go with others in one request (group-commit.ts, batch-operations.ts).
import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { atMost, type Rank, unlimited } from '../../at-most.ts';
import type { Item } from '../items.ts';
import { type Attributes, fromAttributes, inAttributes, type Plain, toAttributes } from './attributes.ts';
import { onMany } from './batch-operations.ts';
import { type Meter, measuring } from './capacity-meter.ts';
import { grouped } from './group-commit.ts';
import type { Backoff } from './retry-unprocessed.ts';
import type { TableName } from './tables.ts';
import { asPut, asUpdate, type Change, type Insert } from './writes.ts';

export interface DatabaseOptions {
  readonly client: DynamoDBClient;
  readonly tablePrefix: string;
  readonly meter?: Meter;
  readonly backoff: Backoff;
  readonly groupCommit: boolean;
  readonly oneWriter: boolean;
}

/** What a call is on behalf of: the operation's name for the meter, and its table. */
export interface On {
  readonly operation: string;
  readonly table: TableName;
  /** Where requests wait for each other. */
  readonly rank?: Rank;
}

/** Calls on one item, which may go with others in one request. */
export interface ItemCalls {
  get(on: On, key: Item, consistent?: boolean): Promise<Item | undefined>;
  /** False when there is one already. */
  insert(on: On, insert: Insert): Promise<boolean>;
  /** False when it is not, or no longer, as `where` says. */
  change(on: On, change: Change): Promise<boolean>;
}

/** One writer works on one request; the next is being made ready meanwhile. */
const ONE_AND_THE_NEXT = 2;

interface Page {
  readonly Items?: Attributes[];
  readonly LastEvaluatedKey?: Attributes;
}
const fromPage = ({ Items = [], LastEvaluatedKey }: Page): { items: Item[]; last?: Item } => ({
  items: Items.map(fromAttributes),
  last: LastEvaluatedKey && fromAttributes(LastEvaluatedKey),
});

export type Database = ReturnType<typeof openDatabase>;

export function openDatabase(options: DatabaseOptions) {
  const { client, tablePrefix, meter, backoff, groupCommit, oneWriter } = options;
  const nameOf = (table: TableName): string => `${tablePrefix}${table}`;
  const turn = oneWriter ? atMost(ONE_AND_THE_NEXT) : unlimited;
  const inTurn =
    <Args extends unknown[], T>(call: (on: On, ...args: Args) => Promise<T>) =>
    (on: On, ...args: Args) =>
      turn(() => call(on, ...args), on.rank);
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

  /** False when the condition did not hold. */
  async function put(on: On, input: Plain<PutItemCommandInput>): Promise<boolean> {
    const done = await unlessRefused(
      on,
      client.send(new PutItemCommand({ ...inAttributes(input), ...at(on) })),
    );
    measure(on, 'write', done?.ConsumedCapacity);
    return done !== undefined;
  }

  /** What `ReturnValues` asked for (an empty item if nothing), or undefined when the condition did not hold. */
  async function update(on: On, input: Plain<UpdateItemCommandInput>): Promise<Item | undefined> {
    const done = await unlessRefused(
      on,
      client.send(new UpdateItemCommand({ ...inAttributes(input), ...at(on) })),
    );
    measure(on, 'write', done?.ConsumedCapacity);
    return done && fromAttributes(done.Attributes ?? {});
  }

  const alone: ItemCalls = {
    async get(on, key, ConsistentRead) {
      const command = new GetItemCommand({ Key: toAttributes(key), ConsistentRead, ...at(on) });
      const done = await client.send(command);
      measure(on, 'read', done.ConsumedCapacity);
      return done.Item && fromAttributes(done.Item);
    },
    insert: (on, insert) => put(on, asPut(insert)),
    change: async (on, change) => (await update(on, asUpdate(change))) !== undefined,
  };

  /** False when the condition did not hold. */
  async function remove(on: On, input: Plain<DeleteItemCommandInput>): Promise<boolean> {
    const done = await unlessRefused(
      on,
      client.send(new DeleteItemCommand({ ...inAttributes(input), ...at(on) })),
    );
    measure(on, 'write', done?.ConsumedCapacity);
    return done !== undefined;
  }

  /** One page: at most 1 MB. */
  async function query(on: On, input: Plain<QueryCommandInput>): Promise<{ items: Item[]; last?: Item }> {
    const page = await client.send(new QueryCommand({ ...inAttributes(input), ...at(on) }));
    measure(on, 'read', page.ConsumedCapacity);
    return fromPage(page);
  }

  /** One page: at most 1 MB. */
  async function scan(on: On, input: Plain<ScanCommandInput>): Promise<{ items: Item[]; last?: Item }> {
    const page = await client.send(new ScanCommand({ ...inAttributes(input), ...at(on) }));
    measure(on, 'read', page.ConsumedCapacity);
    return fromPage(page);
  }

  const many = onMany({ client, backoff, oneWriter, measured, nameOf, turn });
  const together = grouped({ alone, ...many, nameOf, turn });
  const singly = {
    get: inTurn(alone.get),
    insert: inTurn(alone.insert),
    change: inTurn(alone.change),
    putAll: (on: On, items: readonly Item[]) => many.putAll(on, items),
  };
  return {
    ...(groupCommit ? together : singly),
    put: inTurn(put),
    update: inTurn(update),
    remove: inTurn(remove),
    query: inTurn(query),
    scan: inTurn(scan),
    getAll: (on: On, keys: readonly Item[], consistent: boolean) => many.getAll(on, keys, consistent),
  };
}
