// The API's configuration beyond what all runtimes share: operators, quotas and CORS. Quotas and CORS are off unless given.
import { z } from 'zod';
import { formatValue } from '../domain/validation/validation.ts';
import type { QuotaLimits } from '../jobs/enforce-quotas.ts';
import { type Environment, readConfig } from '../runtime/config.ts';

const limit = z.coerce.number().int().min(0).default(0);

/** In API Gateway's `[a b]` a name with one of the excluded characters could not be told from several names. */
export const operatorsGroupName = z
  .string()
  .regex(/^[^\s,[\]\p{C}]{1,128}$/u, {
    error: ({ input }) =>
      `must be 1 to 128 characters without spaces, commas and brackets, got ${formatValue(input)}`,
  })
  .default('punctual-operators');

export const apiVariables = z.object({
  /** Members of this group, by the token's claim `groups` or `cognito:groups`, are operators. */
  PUNCTUAL_OPERATORS_GROUP: operatorsGroupName,
  /** Jobs of a user that have not ended, paused ones included; 0: no limit. */
  PUNCTUAL_QUOTA_ACTIVE_JOBS: limit,
  PUNCTUAL_QUOTA_CREATES_PER_MINUTE: limit,
  PUNCTUAL_QUOTA_SHORTEST_INTERVAL_SECONDS: limit,
  /** From where browsers may call, with commas between: `https://console.example.com`; `*` for anywhere. */
  PUNCTUAL_CORS_ORIGINS: z
    .string()
    .transform((text) => text.split(',').map((origin) => origin.trim()))
    .pipe(
      z.array(
        z.string().regex(/^(\*|https?:\/\/[^/\s]+)$/, {
          error: 'must be * or an origin such as https://console.example.com, without a path',
        }),
      ),
    )
    .default([]),
});

export interface ApiConfig {
  readonly operatorsGroup: string;
  readonly quotas: QuotaLimits;
  readonly corsOrigins: readonly string[];
}

export function readApiConfig(env: Environment): ApiConfig {
  const given = readConfig(apiVariables, env);
  return {
    operatorsGroup: given.PUNCTUAL_OPERATORS_GROUP,
    quotas: {
      activeJobs: given.PUNCTUAL_QUOTA_ACTIVE_JOBS,
      createsPerMinute: given.PUNCTUAL_QUOTA_CREATES_PER_MINUTE,
      shortestIntervalSeconds: given.PUNCTUAL_QUOTA_SHORTEST_INTERVAL_SECONDS,
    },
    corsOrigins: given.PUNCTUAL_CORS_ORIGINS,
  };
}
