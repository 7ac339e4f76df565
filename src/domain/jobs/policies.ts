// The policies of a job for retries, timeouts, overlaps, misfires and concurrency: schemas, defaults and the retry delay.
import { z } from 'zod';
import { limitSchema } from './concurrency-key.ts';

export const retrySchema = z.strictObject({
  maxAttempts: z.int().min(1).max(100).default(3).describe('maximum number of attempts, the first included'),
  backoffSeconds: z
    .number()
    .min(0)
    .max(86_400)
    .default(2)
    .describe('delay before the second attempt; it doubles with each attempt'),
  maxBackoffSeconds: z.number().min(0).max(86_400).default(900),
});

export const misfireSchema = z.strictObject({
  policy: z.enum(['runAll', 'runOnce', 'skip']).default('runOnce'),
  graceSeconds: z
    .number()
    .min(0)
    .max(86_400)
    .default(60)
    .describe('an occurrence that starts later than this is a misfire'),
});

export const policiesSchema = z.strictObject({
  retry: retrySchema.prefault({}),
  timeoutSeconds: z.number().positive().max(43_200).default(300).describe('maximum duration of one attempt'),
  overlap: z.enum(['skip', 'queue', 'allow']).default('skip'),
  misfire: misfireSchema.prefault({}),
  limit: limitSchema.optional(),
});

export type Policies = z.infer<typeof policiesSchema>;
export type Retry = z.infer<typeof retrySchema>;

/** Exponential with a cap. Jitter of ±20 % (`random` is in [0, 1)) spreads the retries of jobs that failed together. */
export function backoffMs(retry: Retry, attempt: number, random: number): number {
  const seconds = Math.min(retry.backoffSeconds * 2 ** (attempt - 1), retry.maxBackoffSeconds);
  return Math.round(seconds * 1000 * (0.8 + 0.4 * random));
}
