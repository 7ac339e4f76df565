// So many at once, first come, first served.

export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs what it is given at once. */
export const unlimited: Limit = (work) => work();

/** Runs what it is given, at most `limit` at the same time. */
export function atMost(limit: number): Limit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running === limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
