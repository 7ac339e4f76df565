// The defaults of the policies and the retry delay. The file imports nothing, so that the console shows the same values.

export const POLICY_DEFAULTS = {
  retry: { maxAttempts: 3, backoffSeconds: 2, maxBackoffSeconds: 900 },
  timeoutSeconds: 300,
  overlap: 'skip',
  misfire: { policy: 'runOnce', graceSeconds: 60 },
} as const;

export const OVERLAP_POLICIES = ['skip', 'queue', 'allow'] as const;
export const MISFIRE_POLICIES = ['runAll', 'runOnce', 'skip'] as const;

interface Backoff {
  readonly backoffSeconds: number;
  readonly maxBackoffSeconds: number;
}

/** Exponential with a cap. Jitter of ±20 % (`random` is in [0, 1)) spreads the retries of jobs that failed together. */
export function backoffMs(retry: Backoff, attempt: number, random: number): number {
  const seconds = Math.min(retry.backoffSeconds * 2 ** (attempt - 1), retry.maxBackoffSeconds);
  return Math.round(seconds * 1000 * (0.8 + 0.4 * random));
}
