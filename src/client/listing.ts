// A list over all its pages: iterate over the items and the pages are fetched as they are needed, or ask for one page.
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly nextCursor?: string | undefined;
}

export interface Listing<Item> extends AsyncIterable<Item> {
  /** One page: the first, or the one that a `nextCursor` leads to. */
  page(cursor?: string): Promise<Page<Item>>;
  /** All pages, each fetched when it is asked for. */
  pages(): AsyncIterable<Page<Item>>;
}

export function listing<Item>(page: (cursor?: string) => Promise<Page<Item>>): Listing<Item> {
  async function* pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let cursor: string | undefined;
    do {
      const found = await page(cursor);
      yield found;
      cursor = found.nextCursor;
    } while (cursor !== undefined);
  }
  return {
    page,
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { items } of pages()) yield* items;
    },
  };
}
