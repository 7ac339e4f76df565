// A paginated list. Iterating over the items fetches the pages as needed.
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly nextCursor?: string | undefined;
}

export interface Listing<Item> extends AsyncIterable<Item> {
  /** The page at `cursor`, by default the first. */
  page(cursor?: string): Promise<Page<Item>>;
  /** Iterates over all pages, and fetches each when it is reached. */
  pages(): AsyncIterable<Page<Item>>;
}

export function listing<Item>(page: (cursor?: string) => Promise<Page<Item>>): Listing<Item> {
  async function* pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let cursor: string | undefined;
    do {
      const current = await page(cursor);
      yield current;
      cursor = current.nextCursor;
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
