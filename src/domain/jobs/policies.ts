// The policies of a job for retries, timeouts, overlaps, misfires and concurrency: their schemas.
import { z } from 'zod';
import { limitSchema } from './concurrency-key.ts';
import { MISFIRE_POLICIES, OVERLAP_POLICIES, POLICY_DEFAULTS } from './policy-defaults.ts';

const { retry, misfire, timeoutSeconds, overlap } = POLICY_DEFAULTS;

export const retrySchema = z.strictObject({
  maxAttempts: z
    .int()
    .min(1)
    .max(100)
    .default(retry.maxAttempts)
    .describe('maximum number of attempts, the first included'),
  backoffSeconds: z
    .number()
    .min(0)
    .max(86_400)
    .default(retry.backoffSeconds)
    .describe('delay before the second attempt; it doubles with each attempt'),
  maxBackoffSeconds: z.number().min(0).max(86_400).default(retry.maxBackoffSeconds),
});

export const misfireSchema = z.strictObject({
  policy: z.enum(MISFIRE_POLICIES).default(misfire.policy),
  graceSeconds: z
    .number()
    .min(0)
    .max(86_400)
    .default(misfire.graceSeconds)
    .describe('an occurrence that starts later than this is a misfire'),
});

export const policiesSchema = z.strictObject({
  retry: retrySchema.prefault({}),
  timeoutSeconds: z
    .number()
    .positive()
    .max(43_200)
    .default(timeoutSeconds)
    .describe('maximum duration of one attempt'),
  overlap: z.enum(OVERLAP_POLICIES).default(overlap),
  misfire: misfireSchema.prefault({}),
  limit: limitSchema.optional(),
});

export type Policies = z.infer<typeof policiesSchema>;
export type Retry = z.infer<typeof retrySchema>;
