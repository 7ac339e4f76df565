// Calls a function for each item, `AT_ONCE` at the same time, until all have ended or the signal aborts.

/** Requests at the same time. More would use up the user's limit of requests per second. */
const AT_ONCE = 4;

interface EachOptions<Item> {
  readonly signal: AbortSignal;
  /** Called after each item. `error` is undefined if it succeeded. */
  readonly onEnd: (item: Item, error: unknown) => void;
}

/** Resolves when every item that was begun has ended. Items that were not begun before the stop are left out. */
export async function eachItem<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
  { signal, onEnd }: EachOptions<Item>,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < items.length && !signal.aborted) {
      const item = items[next++] as Item;
      try {
        await act(item);
        onEnd(item, undefined);
      } catch (error) {
        onEnd(item, error ?? new Error('unknown error'));
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
}
