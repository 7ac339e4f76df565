// How the store talks to DynamoDB: table names with their prefix, refused conditions as `false`, and the meter that
// counts what each operation costs. Reads and writes of one item go with others in one request (grouped.ts).
import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  type ConsumedCapacity,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  type DynamoDBClient,
  ExecuteTransactionCommand,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { atMost, type Limit, type Rank, unlimited } from '../at-most.ts';
import {
  type Attributes,
  fromAttributes,
  type Item,
  inAttributes,
  type Plain,
  toAttribute,
  toAttributes,
} from './attributes.ts';
import { type Backoff, inBatches } from './batches.ts';
import { grouped } from './grouped.ts';
import type { TableName } from './tables.ts';
import { asPut, asUpdate, type Change, type Insert, type Statement } from './writes.ts';

/** Told what every call used; `table` is `jobs`, or `jobs.byUser` for an index. Capacity is only asked for when given. */
export type Meter = (operation: string, table: string, units: { read: number; write: number }) => void;

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

export type Executed = 'done' | 'refused' | 'not done';
/** Codes of a statement whose condition did not hold. */
const REFUSED = new Set<string | undefined>(['ConditionalCheckFailed', 'DuplicateItem']);
/** Errors of a batch as such: by itself each write may be all right. */
const NOT_TAKEN = new Set(['ValidationException', 'AccessDeniedException', 'UnknownOperationException']);
const isNotTaken = (error: unknown): boolean => error instanceof Error && NOT_TAKEN.has(error.name);

/**
 * A watcher's pass has thousands of entries to write and rows to read, and a full batch keeps a small engine busy for
 * milliseconds: what is due meanwhile must not queue behind many of them. On AWS two are some 5,000 entries a second.
 */
const BATCHES_AT_ONCE = 2;

/** One writer works on one request; the next is being made ready meanwhile. */
const ONE_AND_THE_NEXT = 2;

/** In a BatchWriteItem or BatchExecuteStatement. */
const MOST_IN_BATCH = 25;
const MOST_IN_TRANSACTION = 100;
/** 4 MB are allowed; whatever is large here is text. */
const LARGEST_TRANSACTION = 3_000_000;
const isSmall = (values: readonly unknown[]): boolean =>
  values.reduce((size: number, value) => size + (typeof value === 'string' ? value.length : 0), 0) <=
  LARGEST_TRANSACTION;

const statementInAttributes = ({ Statement, Parameters }: Statement) => ({
  Statement,
  Parameters: Parameters.map(toAttribute),
});

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
  const ReturnConsumedCapacity = meter && ('INDEXES' as const);
  const turn = oneWriter ? atMost(ONE_AND_THE_NEXT) : unlimited;
  const mostWrites = oneWriter ? MOST_IN_TRANSACTION : MOST_IN_BATCH;
  const inTurn =
    <Args extends unknown[], T>(call: (on: On, ...args: Args) => Promise<T>) =>
    (on: On, ...args: Args) =>
      turn(() => call(on, ...args), on.rank);
  const few = (): Limit => {
    const limit = atMost(BATCHES_AT_ONCE);
    return (work, rank) => limit(() => turn(work, rank));
  };
  const fewReads = few();
  const fewWrites = few();
  const at = (on: On) => ({ TableName: nameOf(on.table), ReturnConsumedCapacity });

  function measure(on: On, kind: 'read' | 'write', consumed: ConsumedCapacity | undefined): void {
    if (!meter || !consumed) return;
    const units = (capacity: number | undefined) => ({ read: 0, write: 0, [kind]: capacity ?? 0 });
    const indexes = Object.entries(consumed.GlobalSecondaryIndexes ?? {});
    meter(on.operation, on.table, units(consumed.Table?.CapacityUnits ?? consumed.CapacityUnits));
    for (const [index, used] of indexes)
      meter(on.operation, `${on.table}.${index}`, units(used.CapacityUnits));
  }

  /** A refused write is billed like one that was done, and the answer does not say how much: below 1 KB it is 1. */
  const measureRefused = (on: On) => meter?.(on.operation, on.table, { read: 0, write: 1 });

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

  /** Any number of keys, each once; in no order, what does not exist is left out. */
  async function getAll(
    on: On,
    keys: readonly Item[],
    ConsistentRead: boolean,
    limit: Limit = fewReads,
  ): Promise<Item[]> {
    const found: Item[] = [];
    await inBatches(on.operation, keys.map(toAttributes), 100, backoff, async (Keys) => {
      const RequestItems = { [nameOf(on.table)]: { Keys, ConsistentRead } };
      const command = new BatchGetItemCommand({ RequestItems, ReturnConsumedCapacity });
      const done = await limit(() => client.send(command), on.rank);
      measure(on, 'read', done.ConsumedCapacity?.[0]);
      found.push(...(done.Responses?.[nameOf(on.table)] ?? []).map(fromAttributes));
      return done.UnprocessedKeys?.[nameOf(on.table)]?.Keys ?? [];
    });
    return found;
  }

  /** Any number of items, no two with the same key. */
  async function putAll(on: On, items: readonly Item[], limit: Limit = fewWrites): Promise<void> {
    await inBatches(on.operation, items, mostWrites, backoff, async (group) => {
      if (oneWriter && (await limit(() => putTogether(on, group), on.rank))) return [];
      await inBatches(on.operation, group, MOST_IN_BATCH, backoff, (batch) => putBatch(on, batch, limit));
      return [];
    });
  }

  /** What is left to do. */
  async function putBatch(on: On, batch: readonly Item[], limit: Limit): Promise<Item[]> {
    const requests = batch.map((item) => ({ PutRequest: { Item: toAttributes(item) } }));
    const RequestItems = { [nameOf(on.table)]: requests };
    const command = new BatchWriteItemCommand({ RequestItems, ReturnConsumedCapacity });
    const done = await limit(() => client.send(command), on.rank);
    measure(on, 'write', done.ConsumedCapacity?.[0]);
    const left = done.UnprocessedItems?.[nameOf(on.table)] ?? [];
    return left.flatMap(({ PutRequest }) => (PutRequest?.Item ? [fromAttributes(PutRequest.Item)] : []));
  }

  /** In one commit. False: not one of them was done (of large ones a transaction takes fewer than a batch). */
  async function putTogether(on: On, items: readonly Item[]): Promise<boolean> {
    if (!isSmall(items.flatMap(Object.values))) return false;
    const TransactItems = items.map((item) => ({
      Put: { TableName: nameOf(on.table), Item: toAttributes(item) },
    }));
    return committed(client.send(new TransactWriteItemsCommand({ TransactItems })));
  }

  /** The same for conditional writes. */
  async function executeTogether(statements: readonly Statement[]): Promise<boolean> {
    if (!isSmall(statements.flatMap(({ Parameters }) => Parameters))) return false;
    const TransactStatements = statements.map(statementInAttributes);
    return committed(client.send(new ExecuteTransactionCommand({ TransactStatements })));
  }

  async function committed(transaction: Promise<unknown>): Promise<boolean> {
    try {
      await transaction;
      return true;
    } catch (error) {
      if (error instanceof TransactionCanceledException || isNotTaken(error)) return false;
      throw error;
    }
  }

  /** At most `mostWrites`, no two of one item. */
  async function execute(on: On, statements: readonly Statement[]): Promise<Executed[]> {
    if (oneWriter && (await executeTogether(statements))) return statements.map(() => 'done');
    const executed: Executed[] = [];
    for (let first = 0; first < statements.length; first += MOST_IN_BATCH)
      executed.push(...(await executeBatch(on, statements.slice(first, first + MOST_IN_BATCH))));
    return executed;
  }

  async function executeBatch(on: On, statements: readonly Statement[]): Promise<Executed[]> {
    const Statements = statements.map(statementInAttributes);
    const command = new BatchExecuteStatementCommand({ Statements, ReturnConsumedCapacity });
    const done = await client.send(command).catch((error: unknown) => {
      if (isNotTaken(error)) return undefined;
      throw error;
    });
    for (const consumed of done?.ConsumedCapacity ?? []) measure(on, 'write', consumed);
    return statements.map((_, i) => {
      const answer = done?.Responses?.[i];
      if (answer && !answer.Error) return 'done';
      if (!REFUSED.has(answer?.Error?.Code)) return 'not done';
      measureRefused(on);
      return 'refused';
    });
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

  const together = grouped({ alone, getAll, putAll, execute, nameOf, mostWrites, turn });
  const singly = {
    get: inTurn(alone.get),
    insert: inTurn(alone.insert),
    change: inTurn(alone.change),
    putAll: (on: On, items: readonly Item[]) => putAll(on, items),
  };
  return {
    ...(groupCommit ? together : singly),
    put: inTurn(put),
    update: inTurn(update),
    remove: inTurn(remove),
    query: inTurn(query),
    scan: inTurn(scan),
    getAll: (on: On, keys: readonly Item[], consistent: boolean) => getAll(on, keys, consistent),
  };
}
