// The limit of requests per second, by a token bucket per owner in this process.
import { LRUCache } from 'lru-cache';
import { createTokenBucket, type TokenBucket } from '../../concurrency/token-bucket.ts';
import type { Context } from '../../scheduling/context.ts';

/** A forgotten owner has a full bucket. */
const MAX_OWNERS = 10_000;
/** The burst, in seconds of the rate. */
const BURST_SECONDS = 2;

export interface RequestRate {
  /** 0 if the request is within the rate, else the time in ms until one is. */
  take(userId: string, perSecond: number): number;
}

export function createRequestRate({ clock }: Context): RequestRate {
  const buckets = new LRUCache<string, TokenBucket>({ max: MAX_OWNERS });
  return {
    take(userId, perSecond) {
      if (perSecond === 0) return 0;
      const bucket = buckets.get(userId) ?? createTokenBucket();
      buckets.set(userId, bucket);
      return bucket.take(clock.monotonic(), perSecond, perSecond * BURST_SECONDS);
    },
  };
}
