// The API's configuration beyond what all runtimes share: quotas and CORS. Off unless given.
import { z } from 'zod';
import { type Environment, readConfig } from '../config.ts';
import type { QuotaLimits } from '../scheduling/quotas.ts';

const limit = z.coerce.number().int().min(0).default(0);

const schema = z.object({
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
  readonly quotas: QuotaLimits;
  readonly corsOrigins: readonly string[];
}

export function readApiConfig(env: Environment): ApiConfig {
  const given = readConfig(schema, env);
  return {
    quotas: {
      activeJobs: given.PUNCTUAL_QUOTA_ACTIVE_JOBS,
      createsPerMinute: given.PUNCTUAL_QUOTA_CREATES_PER_MINUTE,
      shortestIntervalSeconds: given.PUNCTUAL_QUOTA_SHORTEST_INTERVAL_SECONDS,
    },
    corsOrigins: given.PUNCTUAL_CORS_ORIGINS,
  };
}
