// Group commit: calls on single items that come at about the same time go as one BatchGetItem, BatchWriteItem or
// BatchExecuteStatement. A call costs nearly a millisecond of CPU in Node, a statement in a batch a tenth of that.
//
// Each operation has groups of its own, so that the meter knows what was for what. Whatever a batch could not do is done
// alone: the SDK retries what was throttled, and an engine that does not take a statement still takes the expression. A
// batch whose answer was lost is sent again, and what was done then shows as refused, as it does for a single call.
import { type Limit, unlimited } from '../../at-most.ts';
import { inGroups, type SendGroup } from '../../groups.ts';
import type { Item } from '../items.ts';
import type { Executed } from './batch-operations.ts';
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

export interface GroupedOptions {
  readonly alone: ItemCalls;
  getAll(on: On, keys: readonly Item[], consistent: boolean, limit?: Limit): Promise<Item[]>;
  /** Any number of items, no two with the same key. */
  putAll(on: On, items: readonly Item[], limit?: Limit): Promise<void>;
  execute(on: On, statements: readonly Statement[]): Promise<Executed[]>;
  nameOf(table: TableName): string;
  /** Writes in one request. */
  readonly mostWrites: number;
  /** What every request waits for. */
  readonly turn: Limit;
}

const MOST_READS = 100;
/** Requests of one operation under way; with more of them groups would be smaller. */
const AT_ONCE = 2;
/** Several times what DynamoDB takes: a request that hangs must not hold up the leases of others. (Where requests take turns it does.) */
const STALL_MS = 50;
/** What only records something can wait for what is about to happen, and for company. */
const LINGER_MS = 10;

interface Keyed {
  readonly key: Item;
}

const keyOf = ({ key }: Keyed): string => JSON.stringify(key);
const LIMITS = { atOnce: AT_ONCE, stallMs: STALL_MS, keyOf };

export function grouped({ alone, getAll, putAll, execute, nameOf, mostWrites, turn }: GroupedOptions) {
  const limits = (on: On) => ({ ...LIMITS, turn: <T>(work: () => Promise<T>) => turn(work, on.rank) });

  function reads(on: On, consistent: boolean) {
    const send: SendGroup<Keyed, Item | undefined> = async (calls) => {
      const keys = calls.map(({ key }) => key);
      if (keys.length === 1) return Promise.allSettled(keys.map((key) => alone.get(on, key, consistent)));
      const found = new Map<string, Item>();
      for (const item of await getAll(on, keys, consistent, unlimited))
        found.set(keyOf({ key: keyOfItem(on.table, item) }), item);
      return calls.map((call) => ({ status: 'fulfilled', value: found.get(keyOf(call)) }));
    };
    return inGroups({ most: MOST_READS, ...limits(on) }, send);
  }

  function writes<Write extends Keyed>(
    on: On,
    asStatement: (table: string, write: Write) => Statement,
    writeAlone: (on: On, write: Write) => Promise<boolean>,
  ) {
    const send: SendGroup<Write, boolean> = async (calls) => {
      if (calls.length === 1) return Promise.allSettled(calls.map((call) => writeAlone(on, call)));
      const statements = calls.map((call) => asStatement(nameOf(on.table), call));
      const executed = await execute(on, statements);
      return Promise.allSettled(
        calls.map((call, i) => (executed[i] === 'not done' ? writeAlone(on, call) : executed[i] === 'done')),
      );
    };
    const lingerMs = on.rank === 'last' ? LINGER_MS : undefined;
    return inGroups({ most: mostWrites, ...limits(on), lingerMs }, send);
  }

  function puts(on: On) {
    const send: SendGroup<Keyed & { item: Item }, void> = async (calls) => {
      const items = calls.map(({ item }) => item);
      await putAll(on, items, unlimited);
      return items.map(() => ({ status: 'fulfilled', value: undefined }));
    };
    return inGroups({ most: mostWrites, ...limits(on) }, send);
  }

  const putting = lanes((on: On) => puts(on));
  const getting = lanes((on: On, consistent: boolean) => reads(on, consistent));
  const inserting = lanes((on: On) => writes(on, asInsertStatement, alone.insert));
  const changing = lanes((on: On) => writes(on, asUpdateStatement, alone.change));
  return {
    get: (on: On, key: Item, consistent = false) => getting(on, consistent)({ key }),
    insert: (on: On, insert: Insert) => inserting(on)(insert),
    change: (on: On, change: Change) =>
      canBeStatement(change) ? changing(on)(change) : turn(() => alone.change(on, change), on.rank),
    async putAll(on: On, items: readonly Item[]) {
      // those that fill requests of their own need no company
      if (items.length >= mostWrites) return putAll(on, items);
      await Promise.all(items.map((item) => putting(on)({ key: keyOfItem(on.table, item), item })));
    },
  } satisfies ItemCalls & Pick<GroupedOptions, 'putAll'>;
}

/** One group per operation (and whatever else its calls must have in common), made when it is first asked for. */
function lanes<Common extends unknown[], Lane>(open: (on: On, ...common: Common) => Lane) {
  const opened = new Map<string, Lane>();
  return (on: On, ...common: Common): Lane => {
    const name = [on.operation, ...common].join(' ');
    const lane = opened.get(name) ?? open(on, ...common);
    opened.set(name, lane);
    return lane;
  };
}

/** As the calls have it: the partition key first. */
function keyOfItem(table: TableName, item: Item): Item {
  const schema = TABLES.find(({ name }) => name === table);
  const names = [schema?.partitionKey, schema?.sortKey].filter((name) => name !== undefined);
  return Object.fromEntries(names.map((name) => [name, item[name]]));
}
