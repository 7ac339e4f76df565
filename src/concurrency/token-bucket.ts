// A token bucket: a rate with a burst. The caller passes the time, so that the bucket needs no timer.

export interface TokenBucket {
  /** Takes a token. 0 if there was one, else the time in ms until there is one. */
  take(now: number, ratePerSecond: number, burst: number): number;
}

/** Sums of fractions differ from whole numbers by less than this. */
const ROUNDING = 1e-6;

/** A new bucket is full. A bucket never has more than `burst` tokens. The rate may differ between two calls. */
export function createTokenBucket(): TokenBucket {
  let tokens = Number.POSITIVE_INFINITY;
  let updatedAt: number | undefined;
  return {
    take(now, ratePerSecond, burst) {
      const elapsedMs = Math.max(0, now - (updatedAt ?? now));
      tokens = Math.min(burst, tokens + (elapsedMs * ratePerSecond) / 1000);
      updatedAt = now;
      if (tokens >= 1 - ROUNDING) {
        tokens = Math.max(0, tokens - 1);
        return 0;
      }
      return Math.max(1, Math.ceil(((1 - tokens) * 1000) / ratePerSecond - ROUNDING));
    },
  };
}
