// Calls on many items at once: batches, what they leave over, and, where the tables have one writer, transactions.
import {
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  ExecuteTransactionCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { atMost, type Limit } from '../../at-most.ts';
import type { Item } from '../items.ts';
import { fromAttributes, toAttribute, toAttributes } from './attributes.ts';
import type { Measure } from './capacity-meter.ts';
import type { On } from './database.ts';
import { type Backoff, inBatches } from './retry-unprocessed.ts';
import type { TableName } from './tables.ts';
import type { Statement } from './writes.ts';

export interface ManyOptions {
  readonly client: DynamoDBClient;
  readonly backoff: Backoff;
  readonly oneWriter: boolean;
  readonly measured: Measure;
  nameOf(table: TableName): string;
  /** What every request waits for. */
  readonly turn: Limit;
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

export function onMany({ client, backoff, oneWriter, measured, nameOf, turn }: ManyOptions) {
  const { measure, measureRefused, ReturnConsumedCapacity } = measured;
  const mostWrites = oneWriter ? MOST_IN_TRANSACTION : MOST_IN_BATCH;
  const few = (): Limit => {
    const limit = atMost(BATCHES_AT_ONCE);
    return (work, rank) => limit(() => turn(work, rank));
  };
  const fewReads = few();
  const fewWrites = few();

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

  return { getAll, putAll, execute, mostWrites };
}
