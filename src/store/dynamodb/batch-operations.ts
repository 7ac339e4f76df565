// Calls on many items at once: BatchGetItem, BatchWriteItem and BatchExecuteStatement.
import {
  BatchExecuteStatementCommand,
  BatchGetCommand,
  BatchWriteCommand,
  type DynamoDBDocumentClient,
} from '@aws-sdk/lib-dynamodb';
import { createLimiter, type Limiter } from '../../concurrency/limiter.ts';
import type { Item } from '../items.ts';
import type { Measure } from './capacity-meter.ts';
import type { On } from './item-calls.ts';
import { inBatches, type Pauses } from './retry-unprocessed.ts';
import type { TableName } from './tables.ts';
import type { Statement } from './writes.ts';

export interface BatchOptions {
  readonly client: DynamoDBDocumentClient;
  readonly backoff: Pauses;
  readonly measured: Measure;
  nameOf(table: TableName): string;
}

export type Executed = 'done' | 'refused' | 'not done';
/** Codes of a statement whose condition did not hold. */
const REFUSED = new Set<string | undefined>(['ConditionalCheckFailed', 'DuplicateItem']);
/** Errors of a batch as a whole. Each of its writes may succeed alone. */
const NOT_TAKEN = new Set(['ValidationException', 'AccessDeniedException', 'UnknownOperationException']);

/**
 * A watcher's pass writes thousands of entries and reads thousands of rows. A full batch keeps a small engine busy for
 * milliseconds, and a due start must not queue behind many of them. On AWS two batches are some 5,000 entries a second.
 */
const BATCHES_AT_ONCE = 2;

/** The maximum of a BatchGetItem. */
export const MAX_READS = 100;
/** The maximum of a BatchWriteItem and of a BatchExecuteStatement. */
export const MAX_WRITES = 25;

export function batchOperations({ client, backoff, measured, nameOf }: BatchOptions) {
  const { measure, measureRefused, ReturnConsumedCapacity } = measured;
  const fewReads = createLimiter(BATCHES_AT_ONCE);
  const fewWrites = createLimiter(BATCHES_AT_ONCE);

  /** Any number of keys, each once. The items are in no order, and an item that does not exist is left out. */
  async function getAll(
    on: On,
    keys: readonly Item[],
    ConsistentRead: boolean,
    limit: Limiter = fewReads,
  ): Promise<Item[]> {
    const name = nameOf(on.table);
    const found: Item[] = [];
    await inBatches(on.operation, keys, MAX_READS, backoff, async (Keys) => {
      const RequestItems = { [name]: { Keys, ConsistentRead } };
      const done = await limit(() =>
        client.send(new BatchGetCommand({ RequestItems, ReturnConsumedCapacity })),
      );
      measure(on, 'read', done.ConsumedCapacity?.[0]);
      found.push(...(done.Responses?.[name] ?? []));
      return done.UnprocessedKeys?.[name]?.Keys ?? [];
    });
    return found;
  }

  /** Any number of items, no two with the same key. */
  async function putAll(on: On, items: readonly Item[], limit: Limiter = fewWrites): Promise<void> {
    const name = nameOf(on.table);
    await inBatches(on.operation, items, MAX_WRITES, backoff, async (batch) => {
      const RequestItems = { [name]: batch.map((Item) => ({ PutRequest: { Item } })) };
      const done = await limit(() =>
        client.send(new BatchWriteCommand({ RequestItems, ReturnConsumedCapacity })),
      );
      measure(on, 'write', done.ConsumedCapacity?.[0]);
      const left = done.UnprocessedItems?.[name] ?? [];
      return left.flatMap(({ PutRequest }) => (PutRequest?.Item ? [PutRequest.Item] : []));
    });
  }

  /** Removes any number of items, no two with the same key. */
  async function removeAll(on: On, keys: readonly Item[]): Promise<void> {
    const name = nameOf(on.table);
    await inBatches(on.operation, keys, MAX_WRITES, backoff, async (batch) => {
      const RequestItems = { [name]: batch.map((Key) => ({ DeleteRequest: { Key } })) };
      const done = await fewWrites(() =>
        client.send(new BatchWriteCommand({ RequestItems, ReturnConsumedCapacity })),
      );
      measure(on, 'write', done.ConsumedCapacity?.[0]);
      const left = done.UnprocessedItems?.[name] ?? [];
      return left.flatMap(({ DeleteRequest }) => (DeleteRequest?.Key ? [DeleteRequest.Key] : []));
    });
  }

  /** At most `MAX_WRITES` statements, no two of one item. Each succeeds or fails alone. */
  async function execute(on: On, Statements: Statement[]): Promise<Executed[]> {
    const command = new BatchExecuteStatementCommand({ Statements, ReturnConsumedCapacity });
    const done = await client.send(command).catch((error: unknown) => {
      if (error instanceof Error && NOT_TAKEN.has(error.name)) return undefined;
      throw error;
    });
    for (const consumed of done?.ConsumedCapacity ?? []) measure(on, 'write', consumed);
    return Statements.map((_, i) => {
      const answer = done?.Responses?.[i];
      if (answer && !answer.Error) return 'done';
      if (!REFUSED.has(answer?.Error?.Code)) return 'not done';
      measureRefused(on);
      return 'refused';
    });
  }

  return { getAll, putAll, removeAll, execute };
}
