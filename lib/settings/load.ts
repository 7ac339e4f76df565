// The settings of the deployment's name and load.
import { z } from 'zod';
import { MAX_DELAY_MS } from '../../src/queue/queue.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { count } from './shapes.ts';

/** Messages that the watcher sends beyond the look-ahead must fit into SQS's maximum delay. */
const MAX_LOOK_AHEAD_MINUTES = Math.floor(
  (MAX_DELAY_MS - DEFAULT_SETTINGS.watchPeriodMs - DEFAULT_SETTINGS.marginMs) / 60_000,
);

export const load = {
  /**
   * The name of the deployment. It is part of every resource name, so that one account can have several deployments.
   * @default 'dev'
   */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/, {
      error: 'must be 1 to 20 lower-case letters, digits and "-", and start with a letter',
    })
    .default('dev'),
  /**
   * The number of shards of the timetable. It may be raised on a running system (docs/capacity.md), never lowered.
   * @default 16
   */
  shards: count(1, 1024).default(DEFAULT_SETTINGS.shards),
  /**
   * The number of concurrent watchers. Each one has its own range of shards.
   * @default 1
   */
  watchers: count(1, 64).default(1),
  /**
   * The reserved concurrency of the watcher's function. The default is enough for a pass that overlaps the next one. 0
   * reserves none, for accounts with a small quota of concurrent executions (new accounts have 10).
   * @default twice the watchers
   */
  watcherReservedConcurrency: count(0, 1000).optional(),
  /**
   * The number of work queues. One queue has at most about 120,000 messages in flight. The maximum is 24, because their
   * URLs must fit into the 4 KB environment of a Lambda.
   * @default 1
   */
  queues: count(1, 24).default(1),
  /**
   * The look-ahead in minutes. Executions that are due within it are in SQS.
   * @default 5
   */
  lookAheadMinutes: count(1, MAX_LOOK_AHEAD_MINUTES).default(DEFAULT_SETTINGS.lookAheadMs / 60_000),
};
