// A page of a filtered list, with a bounded number of reads.
import { giveWay } from '../concurrency/request-turns.ts';
import type { Page } from '../store/store.ts';

export interface Listed<T> {
  items: T[];
  nextCursor?: string;
}

/** The items that one page reads at most, however few match. The cursor continues after them. */
const MAX_READ = 1000;
/** The smallest read, so that a small page with a filter needs few reads. */
const MIN_READ_SIZE = 25;

export async function filteredPage<T>(
  query: { limit: number; cursor?: string },
  matches: (item: T) => boolean,
  cursorOf: (item: T) => string,
  read: (limit: number, cursor: string | undefined) => Promise<Page<T>>,
): Promise<Listed<T>> {
  const items: T[] = [];
  let { cursor } = query;
  for (let seen = 0; seen < MAX_READ; ) {
    const page = await read(Math.max(query.limit, MIN_READ_SIZE), cursor);
    for (const [i, item] of page.items.entries()) {
      const turn = giveWay();
      if (turn) await turn;
      if (!matches(item)) continue;
      items.push(item);
      if (items.length < query.limit) continue;
      const last = i === page.items.length - 1 && !page.next;
      return { items, nextCursor: last ? undefined : cursorOf(item) };
    }
    seen += page.items.length;
    cursor = page.next;
    if (!cursor) return { items };
  }
  return { items, nextCursor: cursor };
}
