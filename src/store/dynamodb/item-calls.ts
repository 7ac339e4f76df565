// Calls on single items. database.ts sends them one by one, group-commit.ts in batches.
import type { Item } from '../items.ts';
import type { TableName } from './tables.ts';
import type { Change, Insert } from './writes.ts';

/** The table of a call, and the operation of the store that it belongs to. The meter reports both. */
export interface On {
  readonly operation: string;
  readonly table: TableName;
  /** The write waits for others to share its request. Only for writes that no start depends on. */
  readonly linger?: boolean;
}

export interface ItemCalls {
  get(on: On, key: Item, consistent?: boolean): Promise<Item | undefined>;
  /** False if an item with this key exists. */
  insert(on: On, insert: Insert): Promise<boolean>;
  /** False if the item does not exist or differs from `where`. */
  change(on: On, change: Change): Promise<boolean>;
}
