// So many at once: what comes first by its rank, and of one rank who came first.

/** `first`: on the way to a start. `last`: nobody waits for it; its turn comes when there is nothing else, or now and then. */
export type Rank = 'first' | 'second' | 'last';

export type Limit = <T>(work: () => Promise<T>, rank?: Rank) => Promise<T>;

/** Runs what it is given at once. */
export const unlimited: Limit = (work) => work();

/** So many others go before one that is last, so that nothing waits for ever. */
const PASSED_OVER = 32;

/** Runs what it is given, at most `limit` at the same time. */
export function atMost(limit: number): Limit {
  const waiting: Record<Rank, (() => void)[]> = { first: [], second: [], last: [] };
  let running = 0;
  let passedOver = 0;

  function next(): (() => void) | undefined {
    const { first, second, last } = waiting;
    const others = first.length > 0 ? first : second;
    const isTurnOfLast = others.length === 0 || (last.length > 0 && passedOver >= PASSED_OVER);
    passedOver = isTurnOfLast || last.length === 0 ? 0 : passedOver + 1;
    return (isTurnOfLast ? last : others).shift();
  }

  return async (work, rank = 'second') => {
    if (running === limit) await new Promise<void>((resolve) => waiting[rank].push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const resume = next();
      if (resume) resume();
      else running--;
    }
  };
}
