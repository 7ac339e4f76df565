// The settings that say what a deployment is called, and how much it has to schedule.
import { z } from 'zod';
import { MAX_DELAY_MS } from '../../src/queue/queue.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { count } from './shapes.ts';

/** What the watcher plans beyond the horizon must still fit into SQS's longest delay. */
const MAX_LOOK_AHEAD_MINUTES = Math.floor(
  (MAX_DELAY_MS - DEFAULT_SETTINGS.watchPeriodMs - DEFAULT_SETTINGS.marginMs) / 60_000,
);

export const load = {
  /**
   * Tells the deployments of one account apart; part of every name.
   * @default 'dev'
   */
  stage: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,19}$/, {
      error: 'must be up to 20 lower-case letters, digits and "-", a letter first',
    })
    .default('dev'),
  /**
   * How far the timetable is spread. May be raised on a running system (docs/capacity.md), never lowered.
   * @default 16
   */
  shards: count(1, 1024).default(DEFAULT_SETTINGS.shards),
  /**
   * Lambdas that share the shards between them, each with a range of its own.
   * @default 1
   */
  watchers: count(1, 64).default(1),
  /**
   * Concurrent runs that are set aside for the watcher: enough for a pass that overlaps the next one. 0: none are set
   * aside, for accounts whose quota of concurrent Lambdas is too small (new ones have 10).
   * @default twice the watchers
   */
  watcherReservedConcurrency: count(0, 1000).optional(),
  /**
   * Work queues. One carries some 120,000 messages in flight. (Their addresses must fit into the 4 KB of a Lambda's
   * environment.)
   * @default 1
   */
  queues: count(1, 24).default(1),
  /**
   * The horizon: what is due within it is in SQS already.
   * @default 5
   */
  lookAheadMinutes: count(1, MAX_LOOK_AHEAD_MINUTES).default(DEFAULT_SETTINGS.lookAheadMs / 60_000),
};
