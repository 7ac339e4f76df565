// The configuration of the API: operators, quotas and CORS. By default there are no quotas and CORS is off.
import { z } from 'zod';
import { formatValue } from '../domain/validation/validation.ts';
import type { QuotaLimits } from '../jobs/enforce-quotas.ts';
import { type Environment, readConfig } from '../runtime/config.ts';

/** 0 means no limit. */
const limit = z.coerce.number().int().min(0).default(0);

/** API Gateway passes a list of groups as `[a b]`. The excluded characters would make such a list ambiguous. */
export const operatorsGroupName = z
  .string()
  .regex(/^[^\s,[\]\p{C}]{1,128}$/u, {
    error: ({ input }) =>
      `must be 1 to 128 characters without spaces, commas or brackets, got ${formatValue(input)}`,
  })
  .default('punctual-operators');

export const apiVariables = z.object({
  /** Members of this group are operators. The claim is `groups` or `cognito:groups`. */
  PUNCTUAL_OPERATORS_GROUP: operatorsGroupName,
  /** Maximum number of active and paused jobs per user. */
  PUNCTUAL_QUOTA_ACTIVE_JOBS: limit,
  PUNCTUAL_QUOTA_CREATES_PER_MINUTE: limit,
  PUNCTUAL_QUOTA_SHORTEST_INTERVAL_SECONDS: limit,
  /** Comma-separated origins that browsers may call from, such as `https://console.example.com`. `*` allows all. */
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
  const variables = readConfig(apiVariables, env);
  return {
    operatorsGroup: variables.PUNCTUAL_OPERATORS_GROUP,
    quotas: {
      activeJobs: variables.PUNCTUAL_QUOTA_ACTIVE_JOBS,
      createsPerMinute: variables.PUNCTUAL_QUOTA_CREATES_PER_MINUTE,
      minIntervalSeconds: variables.PUNCTUAL_QUOTA_SHORTEST_INTERVAL_SECONDS,
    },
    corsOrigins: variables.PUNCTUAL_CORS_ORIGINS,
  };
}
