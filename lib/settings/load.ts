// The settings of the deployment's name and load.
import { z } from 'zod';
import { maxLookAheadMs } from '../../src/runtime/config.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { count } from './shapes.ts';

const MAX_LOOK_AHEAD_MINUTES = Math.floor(maxLookAheadMs(DEFAULT_SETTINGS) / 60_000);

export const load = {
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/, {
      error: 'must be 1 to 20 lower-case letters, digits and "-", and start with a letter',
    })
    .default('dev'),
  shards: count(1, 1024).default(DEFAULT_SETTINGS.shards),
  watchers: count(1, 64).default(1),
  watcherReservedConcurrency: count(0, 1000).optional(),
  queues: count(1, 24).default(1),
  lookAheadMinutes: count(1, MAX_LOOK_AHEAD_MINUTES).default(DEFAULT_SETTINGS.lookAheadMs / 60_000),
};
