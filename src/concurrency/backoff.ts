// Exponential backoff.

export interface Backoff {
  /** The delay after the first failure. It doubles with each further failure. */
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * The delay after `failures` failures in a row, at least 1. With `random` in [0, 1) the delay is between half and all of
 * it, so that callers that failed together do not retry together.
 */
export const backoffMs = ({ baseMs, maxMs }: Backoff, failures: number, random = 1): number =>
  Math.min(baseMs * 2 ** (failures - 1), maxMs) * (0.5 + random / 2);
