// The configuration of the API: operators, limits per owner and CORS. By default CORS is off.
import { z } from 'zod';
import { DEPLOYED_LIMITS, type OwnerLimits } from '../domain/jobs/owner-limits.ts';
import { formatValue } from '../domain/validation/validation.ts';
import { type Environment, readConfig } from '../runtime/config.ts';
import { limitVariables, readLimitDefaults } from '../runtime/limit-variables.ts';

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
  ...limitVariables.shape,
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
  /** The limits of owners for whom operators have set none. */
  readonly limits: OwnerLimits;
  readonly corsOrigins: readonly string[];
}

export function readApiConfig(env: Environment, limits: OwnerLimits = DEPLOYED_LIMITS): ApiConfig {
  const variables = readConfig(apiVariables, env);
  return {
    operatorsGroup: variables.PUNCTUAL_OPERATORS_GROUP,
    limits: readLimitDefaults(env, limits),
    corsOrigins: variables.PUNCTUAL_CORS_ORIGINS,
  };
}
