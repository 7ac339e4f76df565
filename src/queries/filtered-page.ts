// A page of a filtered list, with a bounded number of reads and bytes.
import { giveWay } from '../concurrency/request-turns.ts';
import type { Page } from '../store/store.ts';

export interface Listed<T> {
  items: T[];
  nextCursor?: string;
}

/** The bytes of all items of a page. A larger item is a page of its own. */
export const MAX_PAGE_BYTES = 1_000_000;
/** The items that one page reads at most, however few match. The cursor continues after them. */
const MAX_READ = 1000;
/** The bytes that one page loads at most, however few items match. The cursor continues after them. */
export const MAX_LOADED_BYTES = 4 * MAX_PAGE_BYTES;
/** The smallest read, so that a small page with a filter needs few reads. */
const MIN_READ_SIZE = 25;
/** Rows that are loaded at once. A row has at most 150 KB: the checkpoint, the params of a single run, the result, the errors. */
export const ROWS_AT_ONCE = 25;

export interface Filtered<T, Key = T> {
  read(limit: number, cursor: string | undefined): Promise<Page<Key>>;
  matches(item: T): boolean;
  /** The cursor after this item. */
  cursorOf(item: T): string;
  /** The bytes that the item adds to the page. */
  bytesOf(item: T): number;
  /** Loads the items of a few keys, in their order. Absent if `read` returns the items. */
  load?(keys: readonly Key[]): Promise<readonly T[]>;
}

export async function filteredPage<T, Key = T>(
  query: { limit: number; cursor?: string },
  { read, load, matches, cursorOf, bytesOf }: Filtered<T, Key>,
): Promise<Listed<T>> {
  const items: T[] = [];
  let [bytes, loadedBytes] = [0, 0];
  let { cursor } = query;
  for (let seen = 0; seen < MAX_READ; ) {
    const page = await read(Math.max(query.limit, MIN_READ_SIZE), cursor);
    const atOnce = load ? ROWS_AT_ONCE : Math.max(1, page.items.length);
    for (let from = 0; from < page.items.length; from += atOnce) {
      const keys = page.items.slice(from, from + atOnce);
      const loaded = load ? await load(keys) : (keys as readonly unknown[] as readonly T[]);
      for (const [i, item] of loaded.entries()) {
        const turn = giveWay();
        if (turn) await turn;
        const isLast = from + i === page.items.length - 1 && !page.next;
        const isMatch = matches(item);
        const size = isMatch || load ? bytesOf(item) : 0;
        loadedBytes += load ? size : 0;
        const before = items.at(-1);
        if (isMatch && before !== undefined && bytes + size > MAX_PAGE_BYTES)
          return { items, nextCursor: cursorOf(before) };
        if (isMatch) {
          items.push(item);
          bytes += size;
        }
        const isFull =
          items.length >= query.limit || bytes >= MAX_PAGE_BYTES || loadedBytes >= MAX_LOADED_BYTES;
        if (isFull) return { items, nextCursor: isLast ? undefined : cursorOf(item) };
      }
    }
    seen += page.items.length;
    cursor = page.next;
    if (!cursor) return { items };
  }
  return { items, nextCursor: cursor };
}
