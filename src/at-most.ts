// So many at once: what comes first by its rank, and of one rank who came first.

const RANKS = ['first', 'second', 'last'] as const;

/** `first`: on the way to a start. `last`: it can wait; its turn comes when there is nothing else, or now and then. */
export type Rank = (typeof RANKS)[number];

export type Limit = <T>(work: () => Promise<T>, rank?: Rank) => Promise<T>;

/** Runs what it is given at once. */
export const unlimited: Limit = (work) => work();

/** So many others go before one of a lower rank, so that nothing waits for ever. */
const PASSED_OVER = 32;

/** Runs what it is given, at most `limit` at the same time. */
export function atMost(limit: number): Limit {
  const waiting: Record<Rank, (() => void)[]> = { first: [], second: [], last: [] };
  const passedOver: Record<Rank, number> = { first: 0, second: 0, last: 0 };
  let running = 0;

  function next(): (() => void) | undefined {
    const some = RANKS.filter((rank) => waiting[rank].length > 0);
    const chosen = some.findLast((rank) => passedOver[rank] >= PASSED_OVER) ?? some[0];
    if (chosen === undefined) return undefined;
    for (const rank of some) passedOver[rank]++;
    passedOver[chosen] = 0;
    return waiting[chosen].shift();
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
