// How the store talks to DynamoDB: table names with their prefix, refused conditions as `false`, and the meter that
// counts what each operation costs. Reads and writes of one item go with others in one request (grouped.ts).
import {
  ConditionalCheckFailedException,
  type ConsumedCapacity,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  BatchWriteCommand,
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
import { atMost, type Limit } from './at-most.ts';
import { type Backoff, inBatches } from './batches.ts';
import { grouped } from './grouped.ts';
import type { TableName } from './tables.ts';
import { asPut, asUpdate, type Change, type Insert, type Statement } from './writes.ts';

export type Item = Record<string, unknown>;

/** Told what every call used; `table` is `jobs`, or `jobs.byUser` for an index. Capacity is only asked for when given. */
export type Meter = (operation: string, table: string, units: { read: number; write: number }) => void;

export interface DatabaseOptions {
  readonly client: DynamoDBClient;
  readonly tablePrefix: string;
  readonly meter?: Meter;
  readonly backoff: Backoff;
  readonly groupCommit: boolean;
}

/** What a call is on behalf of: the operation's name for the meter, and its table. */
export interface On {
  readonly operation: string;
  readonly table: TableName;
  /** The attribute that a read is about; absent: all of the item. */
  readonly only?: string;
  /** A write that nobody waits for: it may wait for others. */
  readonly canWait?: true;
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

/**
 * A watcher's pass has thousands of entries to write and rows to read, and a full batch keeps a small engine busy for
 * milliseconds: what is due meanwhile must not queue behind many of them. On AWS two are some 5,000 entries a second.
 */
const BATCHES_AT_ONCE = 2;

type Without<Input> = Omit<Input, 'TableName' | 'ReturnConsumedCapacity'>;

/** With the key: a batch's answers are in no order. */
function projection({ only }: On, key: Item) {
  if (only === undefined) return {};
  const names = [...Object.keys(key), only];
  return {
    ProjectionExpression: names.map((name) => `#${name}`).join(', '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
  };
}

export type Database = ReturnType<typeof openDatabase>;

export function openDatabase({ client, tablePrefix, meter, backoff, groupCommit }: DatabaseOptions) {
  const doc = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
  const nameOf = (table: TableName): string => `${tablePrefix}${table}`;
  const ReturnConsumedCapacity = meter && ('INDEXES' as const);
  const fewReads = atMost(BATCHES_AT_ONCE);
  const fewWrites = atMost(BATCHES_AT_ONCE);
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
  async function put(on: On, input: Without<PutCommandInput>): Promise<boolean> {
    const done = await unlessRefused(on, doc.send(new PutCommand({ ...input, ...at(on) })));
    measure(on, 'write', done?.ConsumedCapacity);
    return done !== undefined;
  }

  /** What `ReturnValues` asked for (an empty item if nothing), or undefined when the condition did not hold. */
  async function update(on: On, input: Without<UpdateCommandInput>): Promise<Item | undefined> {
    const done = await unlessRefused(on, doc.send(new UpdateCommand({ ...input, ...at(on) })));
    measure(on, 'write', done?.ConsumedCapacity);
    return done && (done.Attributes ?? {});
  }

  /** Any number of keys, each once; in no order, what does not exist is left out. */
  async function getAll(
    on: On,
    keys: readonly Item[],
    ConsistentRead: boolean,
    limit: Limit = fewReads,
  ): Promise<Item[]> {
    const found: Item[] = [];
    await inBatches(on.operation, keys, 100, backoff, async (Keys) => {
      const RequestItems = { [nameOf(on.table)]: { Keys, ConsistentRead, ...projection(on, Keys[0] ?? {}) } };
      const command = new BatchGetCommand({ RequestItems, ReturnConsumedCapacity });
      const done = await limit(() => doc.send(command));
      measure(on, 'read', done.ConsumedCapacity?.[0]);
      found.push(...(done.Responses?.[nameOf(on.table)] ?? []));
      return done.UnprocessedKeys?.[nameOf(on.table)]?.Keys ?? [];
    });
    return found;
  }

  /** Any number of items, no two with the same key. */
  async function putAll(on: On, items: readonly Item[], limit: Limit = fewWrites): Promise<void> {
    await inBatches(on.operation, items, 25, backoff, async (batch) => {
      const RequestItems = { [nameOf(on.table)]: batch.map((Item) => ({ PutRequest: { Item } })) };
      const command = new BatchWriteCommand({ RequestItems, ReturnConsumedCapacity });
      const done = await limit(() => doc.send(command));
      measure(on, 'write', done.ConsumedCapacity?.[0]);
      const left = done.UnprocessedItems?.[nameOf(on.table)] ?? [];
      return left.flatMap(({ PutRequest }) => PutRequest?.Item ?? []);
    });
  }

  /** At most 25 writes, no two of one item. */
  async function execute(on: On, statements: readonly Statement[]): Promise<Executed[]> {
    const Statements = [...statements];
    const request = doc.send(new BatchExecuteStatementCommand({ Statements, ReturnConsumedCapacity }));
    const done = await request.catch((error: unknown) => {
      if (error instanceof Error && NOT_TAKEN.has(error.name)) return undefined;
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
    async get(on, Key, ConsistentRead) {
      const done = await doc.send(new GetCommand({ Key, ConsistentRead, ...projection(on, Key), ...at(on) }));
      measure(on, 'read', done.ConsumedCapacity);
      return done.Item;
    },
    insert: (on, insert) => put(on, asPut(insert)),
    change: async (on, change) => (await update(on, asUpdate(change))) !== undefined,
  };

  return {
    ...(groupCommit ? grouped({ alone, getAll, putAll, execute, nameOf }) : { ...alone, putAll }),
    put,
    update,

    /** False when the condition did not hold. */
    async remove(on: On, input: Without<DeleteCommandInput>): Promise<boolean> {
      const done = await unlessRefused(on, doc.send(new DeleteCommand({ ...input, ...at(on) })));
      measure(on, 'write', done?.ConsumedCapacity);
      return done !== undefined;
    },

    /** One page: at most 1 MB. */
    async query(on: On, input: Without<QueryCommandInput>): Promise<{ items: Item[]; last?: Item }> {
      const page = await doc.send(new QueryCommand({ ...input, ...at(on) }));
      measure(on, 'read', page.ConsumedCapacity);
      return { items: page.Items ?? [], last: page.LastEvaluatedKey };
    },

    /** One page: at most 1 MB. */
    async scan(on: On, input: Without<ScanCommandInput>): Promise<{ items: Item[]; last?: Item }> {
      const page = await doc.send(new ScanCommand({ ...input, ...at(on) }));
      measure(on, 'read', page.ConsumedCapacity);
      return { items: page.Items ?? [], last: page.LastEvaluatedKey };
    },

    getAll,
  };
}
