// A limit on how many asynchronous calls run at the same time.

export type Limiter = <T>(work: () => Promise<T>) => Promise<T>;

/** Runs each call at once. */
export const unlimited: Limiter = (work) => work();

/** Runs at most `limit` calls at the same time. Calls beyond the limit start in the order in which they arrived. */
export function createLimiter(limit: number): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running === limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const resume = waiting.shift();
      if (resume) resume();
      else running--;
    }
  };
}
