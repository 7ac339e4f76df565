// A page of what a filter leaves of a list, with a bounded number of reads.
import type { Page } from '../store/store.ts';

export interface Listed<T> {
  items: T[];
  nextCursor?: string;
}

/** A page looks at no more than this, whatever the filter leaves of it; the cursor goes on from there. */
const LOOK_AT = 1000;

export async function filteredPage<T>(
  query: { limit: number; cursor?: string },
  matches: (item: T) => boolean,
  cursorOf: (item: T) => string,
  read: (limit: number, cursor: string | undefined) => Promise<Page<T>>,
): Promise<Listed<T>> {
  const items: T[] = [];
  let { cursor } = query;
  for (let seen = 0; seen < LOOK_AT; ) {
    const page = await read(Math.max(query.limit, 25), cursor);
    for (const [i, item] of page.items.entries()) {
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
