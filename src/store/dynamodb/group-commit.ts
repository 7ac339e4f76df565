// Group commit: calls on single items that come at about the same time go as one BatchGetItem, BatchWriteItem or
// BatchExecuteStatement. A request costs several tenths of a millisecond of CPU in Node, a statement in a batch a tenth of it.
//
// Each operation has groups of its own, so that the meter can tell them apart. A call that its batch did not do is done
// alone. So the SDK retries a throttled call, and an engine that rejects the statement is given the expression. A batch
// whose response was lost is sent again, and a write that was done by then shows as refused, as it does for a single call.

import { createBatcher, type SendBatch } from '../../concurrency/batcher.ts';
import { unlimited } from '../../concurrency/limiter.ts';
import type { Item } from '../items.ts';
import { type batchOperations, MAX_READS, MAX_WRITES } from './batch-operations.ts';
import type { ItemCalls, On } from './database.ts';
import { TABLES, type TableName } from './tables.ts';
import {
  asInsertStatement,
  asUpdateStatement,
  type Change,
  canBeStatement,
  type Insert,
  type Statement,
} from './writes.ts';

export interface GroupCommitOptions extends ItemCalls, ReturnType<typeof batchOperations> {
  nameOf(table: TableName): string;
}

/** Requests of one operation in flight. A higher limit would make the batches smaller. */
const MAX_IN_FLIGHT = 2;
/** Several times DynamoDB's response time. A request that hangs must not delay the leases of others. */
const STALL_MS = 50;
/** How long the first write of a group with `linger` waits for others. */
const LINGER_MS = 10;

interface Keyed {
  readonly key: Item;
}

const keyOf = ({ key }: Keyed): string => JSON.stringify(key);
const LIMITS = { maxInFlight: MAX_IN_FLIGHT, stallMs: STALL_MS, keyOf };

export function groupCommit(options: GroupCommitOptions) {
  const { get, insert, change, getAll, putAll, execute, nameOf } = options;

  function reads(on: On, consistent: boolean) {
    const send: SendBatch<Keyed, Item | undefined> = async (calls) => {
      const keys = calls.map(({ key }) => key);
      if (keys.length === 1) return Promise.allSettled(keys.map((key) => get(on, key, consistent)));
      const found = new Map<string, Item>();
      for (const item of await getAll(on, keys, consistent, unlimited))
        found.set(keyOf({ key: keyOfItem(on.table, item) }), item);
      return calls.map((call) => ({ status: 'fulfilled', value: found.get(keyOf(call)) }));
    };
    return createBatcher({ maxCalls: MAX_READS, ...LIMITS }, send);
  }

  function writes<Write extends Keyed>(
    on: On,
    asStatement: (table: string, write: Write) => Statement,
    writeAlone: (on: On, write: Write) => Promise<boolean>,
  ) {
    const send: SendBatch<Write, boolean> = async (calls) => {
      if (calls.length === 1) return Promise.allSettled(calls.map((call) => writeAlone(on, call)));
      const statements = calls.map((call) => asStatement(nameOf(on.table), call));
      const executed = await execute(on, statements);
      return Promise.allSettled(
        calls.map((call, i) => (executed[i] === 'not done' ? writeAlone(on, call) : executed[i] === 'done')),
      );
    };
    return createBatcher(
      { maxCalls: MAX_WRITES, ...LIMITS, lingerMs: on.linger ? LINGER_MS : undefined },
      send,
    );
  }

  function puts(on: On) {
    const send: SendBatch<Keyed & { item: Item }, void> = async (calls) => {
      const items = calls.map(({ item }) => item);
      await putAll(on, items, unlimited);
      return items.map(() => ({ status: 'fulfilled', value: undefined }));
    };
    return createBatcher({ maxCalls: MAX_WRITES, ...LIMITS }, send);
  }

  const putting = lanes((on: On) => puts(on));
  const getting = lanes((on: On, consistent: boolean) => reads(on, consistent));
  const inserting = lanes((on: On) => writes(on, asInsertStatement, insert));
  const changing = lanes((on: On) => writes(on, asUpdateStatement, change));
  return {
    get: (on: On, key: Item, consistent = false) => getting(on, consistent)({ key }),
    insert: (on: On, insert: Insert) => inserting(on)(insert),
    change: (on: On, write: Change) => (canBeStatement(write) ? changing(on)(write) : change(on, write)),
    async putAll(on: On, items: readonly Item[]) {
      // a call that fills requests of its own needs no company
      if (items.length >= MAX_WRITES) return putAll(on, items);
      await Promise.all(items.map((item) => putting(on)({ key: keyOfItem(on.table, item), item })));
    },
  } satisfies ItemCalls & Pick<GroupCommitOptions, 'putAll'>;
}

/** One group per operation (and per value of `common`), made at its first call. */
function lanes<Common extends unknown[], Lane>(open: (on: On, ...common: Common) => Lane) {
  const opened = new Map<string, Lane>();
  return (on: On, ...common: Common): Lane => {
    const name = [on.operation, ...common].join(' ');
    const lane = opened.get(name) ?? open(on, ...common);
    opened.set(name, lane);
    return lane;
  };
}

/** In the order of the calls' keys: the partition key first. */
function keyOfItem(table: TableName, item: Item): Item {
  const schema = TABLES.find(({ name }) => name === table);
  const names = [schema?.partitionKey, schema?.sortKey].filter((name) => name !== undefined);
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}
