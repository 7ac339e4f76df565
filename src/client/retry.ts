// Whether and when a request is sent again.
import type { PunctualApiError } from './errors.ts';

export interface RetryOptions {
  /** How often a request is sent in all; 1 never retries. Default 5. */
  readonly maxAttempts?: number;
  /** The delay before the second attempt, doubled each time. Default 200. */
  readonly baseDelayMs?: number;
  /** The longest delay of our own choosing. Default 5000. */
  readonly maxDelayMs?: number;
  /** When the server asks for a longer delay than this, its answer is handed on instead. Default 60 000. */
  readonly maxRetryAfterMs?: number;
}

export const RETRY_DEFAULTS: Required<RetryOptions> = {
  maxAttempts: 5,
  baseDelayMs: 200,
  maxDelayMs: 5_000,
  maxRetryAfterMs: 60_000,
};

/**
 * 429 is an answer given before anything was done, so every request may be repeated; unless it is this API's own word
 * on a quota that waiting does not help against. 5xx leaves open whether it was done: only what may be done twice is
 * repeated.
 */
export function isPassing({ status, problem, retryAfterMs }: PunctualApiError, repeatable: boolean): boolean {
  if (status === 429) return retryAfterMs !== undefined || problem === undefined;
  return repeatable && status >= 500 && status !== 501;
}

/** Exponential, half of it random, so that clients that failed together do not return together. */
export function delayMs(options: Required<RetryOptions>, attempt: number, random: number): number {
  const longest = Math.min(options.baseDelayMs * 2 ** (attempt - 1), options.maxDelayMs);
  return Math.round(longest * (0.5 + random / 2));
}

/** Of a `Retry-After` header: seconds or an HTTP date. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
