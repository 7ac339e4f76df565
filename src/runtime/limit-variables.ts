// The variables of the limits per owner. The variable of `activeJobs` is PUNCTUAL_QUOTA_ACTIVE_JOBS, and so on.
import { z } from 'zod';
import {
  DEPLOYED_LIMITS,
  LIMIT_NAMES,
  type LimitName,
  limitValue,
  NO_LIMITS,
  type OwnerLimits,
  perLimit,
} from '../domain/jobs/owner-limits.ts';
import { type Environment, readConfig } from './config.ts';

export const limitVariable = (name: LimitName): string =>
  `PUNCTUAL_QUOTA_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`;

export const limitVariables = z.object({
  /** `off`: there are no defaults. Single variables and the limits that operators set still apply. */
  PUNCTUAL_QUOTAS: z.literal(['on', 'off']).default('on'),
  ...(Object.fromEntries(
    LIMIT_NAMES.map((name) => [limitVariable(name), z.coerce.number().pipe(limitValue(name)).optional()]),
  ) as Record<string, z.ZodOptional<z.ZodType<number>>>),
});

/** The limits that apply to owners for whom operators have set none. */
export function readLimitDefaults(env: Environment, defaults: OwnerLimits = DEPLOYED_LIMITS): OwnerLimits {
  const given = readConfig(limitVariables, env) as Readonly<Record<string, unknown>>;
  const base = given.PUNCTUAL_QUOTAS === 'off' ? NO_LIMITS : defaults;
  return perLimit((name) => (given[limitVariable(name)] as number | undefined) ?? base[name]);
}
