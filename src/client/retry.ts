// The retry policy of requests: which responses are retried, and after which delay.
import type { PunctualApiError } from './errors.ts';

export interface RetryOptions {
  /** The maximum number of attempts. 1 disables retries. Default 5. */
  readonly maxAttempts?: number;
  /** The delay before the second attempt. It doubles with each attempt. Default 200. */
  readonly baseDelayMs?: number;
  /** The maximum delay of the exponential backoff. Default 5000. */
  readonly maxDelayMs?: number;
  /** If the server asks for a longer delay than this, the request is not retried. Default 60 000. */
  readonly maxRetryAfterMs?: number;
}

export const RETRY_DEFAULTS: Required<RetryOptions> = {
  maxAttempts: 5,
  baseDelayMs: 200,
  maxDelayMs: 5_000,
  maxRetryAfterMs: 60_000,
};

/**
 * Whether a request is retried after this response. The server sends 429 before it does anything, so every request may be
 * retried. An exception is a quota problem of this API without `Retry-After`, because waiting does not help. After a 5xx, it is
 * unknown whether the request was handled, so only repeatable requests are retried.
 */
export function isRetryable(
  { status, problem, retryAfterMs }: PunctualApiError,
  repeatable: boolean,
): boolean {
  if (status === 429) return retryAfterMs !== undefined || problem === undefined;
  return repeatable && status >= 500 && status !== 501;
}

/** Exponential backoff. Half of it is random, so that clients that failed together do not retry together. */
export function delayMs(options: Required<RetryOptions>, attempt: number, random: number): number {
  const backoff = Math.min(options.baseDelayMs * 2 ** (attempt - 1), options.maxDelayMs);
  return Math.round(backoff * (0.5 + random / 2));
}

/** Parses `Retry-After`: seconds or an HTTP date. Undefined if the header is missing or invalid. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
