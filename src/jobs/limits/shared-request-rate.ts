// The limit of requests per second over all processes, by a counter per owner and window in the store. Processes reserve blocks, so
// the sum of a window never exceeds the limit, also if a thousand containers ask within one round trip. A sample could not
// ensure that: requests that arrive together would all see the count before them.
import { withDeadline } from '../../concurrency/with-deadline.ts';
import type { Context } from '../../scheduling/context.ts';
import { createReservedUsage } from './reserved-usage.ts';

/** The burst, in seconds of the rate. */
const WINDOW_SECONDS = 2;
/** A request that is under way for this long counts in the next window too, and again after each further time. */
export const OCCUPIED_MS = 500;
/** What a request counts then: with these values, an owner occupies half of `requestsPerSecond` containers in the long run. */
const OCCUPIED_COUNT = 1;
/** How long the store keeps the counter of a window after its end. */
const KEPT_SECONDS = 600;
/** If the store takes longer, the request is admitted. The rate of this process still applies. */
const STORE_DEADLINE_MS = 1_000;

export interface SharedRequestRate {
  /** 0 if the request is within the rate, else the time in ms until the next window. */
  take(userId: string, perSecond: number): Promise<number>;
  /** Counts a request that is still under way, in the next window. */
  countOccupied(userId: string): Promise<void>;
}

const windowAt = (now: number): number => Math.floor(now / (WINDOW_SECONDS * 1000));
const counterName = (window: number): string => `requests#${window}`;

export function createSharedRequestRate({ store, clock, log }: Context): SharedRequestRate {
  const expiryOf = (window: number) => (window + 1) * WINDOW_SECONDS + KEPT_SECONDS;
  const usage = createReservedUsage((userId, window, count, max) =>
    store.takeFromQuota(userId, counterName(window), count, max, expiryOf(window)),
  );
  const orElse = async <T>(call: Promise<T>, other: T): Promise<T> => {
    try {
      return await withDeadline(call, { timer: clock, ms: STORE_DEADLINE_MS }, () => other);
    } catch (error) {
      log.warn('failed to count a request', { error: String(error) });
      return other;
    }
  };
  return {
    async take(userId, perSecond) {
      if (perSecond === 0) return 0;
      const now = clock.now();
      const window = windowAt(now);
      const isWithin = await orElse(usage.take(userId, window, perSecond * WINDOW_SECONDS, 1), true);
      return isWithin ? 0 : (window + 1) * WINDOW_SECONDS * 1000 - now;
    },
    async countOccupied(userId) {
      const window = windowAt(clock.now()) + 1;
      const counted = store.addToQuota(userId, counterName(window), OCCUPIED_COUNT, expiryOf(window));
      await orElse<unknown>(counted, undefined);
    },
  };
}
