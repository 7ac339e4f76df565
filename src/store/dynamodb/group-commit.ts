// Group commit: concurrent calls on single items share a BatchGetItem, BatchWriteItem or BatchExecuteStatement. A request costs
// several tenths of a millisecond of CPU in Node. A statement in a batch costs a tenth of that.
//
// Each operation has batches of its own, so that the meter can report them separately. A call that failed in its batch is
// repeated as a single request. The SDK then retries a throttled call, and an engine that rejects the statement gets the
// expression. A batch whose response was lost is sent again. A write that was applied the first time is then refused, as with
// a single request.

import { createBatcher, type SendBatch } from '../../concurrency/batcher.ts';
import { unlimited } from '../../concurrency/limiter.ts';
import type { Timer } from '../../concurrency/timer.ts';
import type { Item } from '../items.ts';
import { type batchOperations, MAX_READS, MAX_WRITES } from './batch-operations.ts';
import type { ItemCalls, On } from './item-calls.ts';
import { TABLES, type TableName } from './tables.ts';
import {
  asInsertStatement,
  asUpdateStatement,
  type Change,
  canBeStatement,
  type Insert,
  type Statement,
} from './writes.ts';

export interface GroupCommitOptions extends ItemCalls, Omit<ReturnType<typeof batchOperations>, 'removeAll'> {
  nameOf(table: TableName): string;
  readonly timer: Pick<Timer, 'sleep'>;
}

/** Requests of one operation in flight. A higher limit would make the batches smaller. */
const MAX_IN_FLIGHT = 2;
/** Several times DynamoDB's response time. A request that hangs must not delay the leases of others. */
const STALL_MS = 50;
/** How long the first write of a batch with `linger` waits for others. */
const LINGER_MS = 10;

interface Keyed {
  readonly key: Item;
}

const keyOf = ({ key }: Keyed): string => JSON.stringify(key);
const LIMITS = { maxInFlight: MAX_IN_FLIGHT, stallMs: STALL_MS, keyOf };

export function groupCommit(options: GroupCommitOptions) {
  const { get, insert, change, getAll, putAll, execute, nameOf, timer } = options;

  function reads(on: On, consistent: boolean) {
    const send: SendBatch<Keyed, Item | undefined> = async (calls) => {
      const keys = calls.map(({ key }) => key);
      if (keys.length === 1) return Promise.allSettled(keys.map((key) => get(on, key, consistent)));
      const found = new Map<string, Item>();
      for (const item of await getAll(on, keys, consistent, unlimited))
        found.set(keyOf({ key: keyOfItem(on.table, item) }), item);
      return calls.map((call) => ({ status: 'fulfilled', value: found.get(keyOf(call)) }));
    };
    return createBatcher({ maxCalls: MAX_READS, timer, ...LIMITS }, send);
  }

  function writes<Write extends Keyed>(
    on: On,
    asStatement: (table: string, write: Write) => Statement,
    writeSingle: (on: On, write: Write) => Promise<boolean>,
  ) {
    const send: SendBatch<Write, boolean> = async (calls) => {
      if (calls.length === 1) return Promise.allSettled(calls.map((call) => writeSingle(on, call)));
      const statements = calls.map((call) => asStatement(nameOf(on.table), call));
      const executed = await execute(on, statements);
      return Promise.allSettled(
        calls.map((call, i) => (executed[i] === 'not done' ? writeSingle(on, call) : executed[i] === 'done')),
      );
    };
    return createBatcher(
      { maxCalls: MAX_WRITES, timer, ...LIMITS, lingerMs: on.linger ? LINGER_MS : undefined },
      send,
    );
  }

  function puts(on: On) {
    const send: SendBatch<Keyed & { item: Item }, void> = async (calls) => {
      const items = calls.map(({ item }) => item);
      await putAll(on, items, unlimited);
      return items.map(() => ({ status: 'fulfilled', value: undefined }));
    };
    return createBatcher({ maxCalls: MAX_WRITES, timer, ...LIMITS }, send);
  }

  const putting = batchersOf((on: On) => puts(on));
  const getting = batchersOf((on: On, consistent: boolean) => reads(on, consistent));
  const inserting = batchersOf((on: On) => writes(on, asInsertStatement, insert));
  const changing = batchersOf((on: On) => writes(on, asUpdateStatement, change));
  return {
    get: (on: On, key: Item, consistent = false) => getting(on, consistent)({ key }),
    insert: (on: On, insert: Insert) => inserting(on)(insert),
    change: (on: On, write: Change) => (canBeStatement(write) ? changing(on)(write) : change(on, write)),
    async putAll(on: On, items: readonly Item[]) {
      // the items fill requests of their own
      if (items.length >= MAX_WRITES) return putAll(on, items);
      await Promise.all(items.map((item) => putting(on)({ key: keyOfItem(on.table, item), item })));
    },
  } satisfies ItemCalls & Pick<GroupCommitOptions, 'putAll'>;
}

/** One batcher per operation and value of `common`, created at its first call. */
function batchersOf<Common extends unknown[], Batcher>(open: (on: On, ...common: Common) => Batcher) {
  const opened = new Map<string, Batcher>();
  return (on: On, ...common: Common): Batcher => {
    const name = [on.operation, ...common].join(' ');
    const batcher = opened.get(name) ?? open(on, ...common);
    opened.set(name, batcher);
    return batcher;
  };
}

/** The key attributes, the partition key first, as in the keys of calls. */
function keyOfItem(table: TableName, item: Item): Item {
  const schema = TABLES.find(({ name }) => name === table);
  const names = [schema?.partitionKey, schema?.sortKey].filter((name) => name !== undefined);
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}
