// The watcher on Lambda: configuration, clients and log, made once per container; a pass per call, which ends before its
// time is over, and says how it went.
import { Logger } from '@aws-lambda-powertools/logger';
import { z } from 'zod';
import { createClients } from '../clients.ts';
import { ConfigError, type Environment, readConfig, readRetentionDays, readSettings } from '../config.ts';
import { minuteOf } from '../domain/slots.ts';
import { parse } from '../domain/validation.ts';
import { createMetrics } from '../metrics.ts';
import { createSqs } from '../queue/sqs.ts';
import type { Context } from '../scheduling/context.ts';
import { type Watched, watch } from '../scheduling/watch.ts';
import { createDynamoStore } from '../store/dynamo.ts';
import { systemClock, systemRandom } from '../system.ts';
import { tellingOnAws } from '../telling.ts';
import { type Forecast, forecast } from './forecast.ts';
import { shardRangeSchema, shardsOf } from './ranges.ts';

const url = z.url({ protocol: /^https?$/ });

/** The stack sets these; there is no default that could be right. */
const schema = z.object({
  PUNCTUAL_PREFIX: z.string(),
  PUNCTUAL_QUEUE_URLS: z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(z.array(url).min(1)),
  PUNCTUAL_DEAD_LETTER_URL: url,
});

/** Before Lambda ends it: enough for the slot in hand and the release of its shard. */
const STOP_BEFORE_MS = 15_000;

export interface Pass extends Watched {
  readonly lagSeconds: number;
  readonly forecast: Forecast;
}

export type WatcherHandler = (
  event: unknown,
  invocation: { getRemainingTimeInMillis(): number },
) => Promise<Pass>;

export function createWatcher(env: Environment): WatcherHandler {
  const config = readConfig(schema, env);
  const settings = readSettings(env);
  const logger = new Logger({ serviceName: 'punctual-watcher' });
  const metrics = createMetrics(config.PUNCTUAL_PREFIX);
  const clients = createClients();
  const base: Context = {
    store: createDynamoStore({
      client: clients.dynamodb,
      tablePrefix: config.PUNCTUAL_PREFIX,
      shards: settings.shards,
      retentionDays: readRetentionDays(env),
      backoff: { random: systemRandom.float, sleep: systemClock.sleep },
    }),
    queue: createSqs({
      client: clients.sqs,
      queueUrls: config.PUNCTUAL_QUEUE_URLS,
      deadLetterUrl: config.PUNCTUAL_DEAD_LETTER_URL,
      clock: systemClock,
    }).queue,
    clock: systemClock,
    random: systemRandom,
    log: {
      debug: (message, fields = {}) => logger.debug(message, fields),
      info: (message, fields = {}) => logger.info(message, fields),
      warn: (message, fields = {}) => logger.warn(message, fields),
      error: (message, fields = {}) => logger.error(message, fields),
    },
    settings,
  };
  const context = tellingOnAws(base, clients.sqs, env);

  return async (event, invocation) => {
    const { value: range, errors } = parse(shardRangeSchema, event);
    if (errors)
      throw new ConfigError(errors.map(({ path, message }) => `event ${path} ${message}`).join('\n'));
    const shards = shardsOf(range);
    const signal = AbortSignal.timeout(Math.max(0, invocation.getRemainingTimeInMillis() - STOP_BEFORE_MS));
    // where the cursors should be when it is done; by then the next minute may have begun
    const horizon = minuteOf(systemClock.now() + settings.lookAheadMs);
    const watched = await watch(context, shards, signal);
    const pass = {
      ...watched,
      lagSeconds: await lagOf(context, shards, horizon),
      forecast: await forecast(context, shards, signal),
    };
    metrics.add('Dispatched', pass.sent);
    metrics.add('SettleCorrections', pass.corrected);
    metrics.add('DispatchLag', pass.lagSeconds);
    metrics.add('DuePerMinute', Math.max(...pass.forecast.perMinute));
    metrics.add('DuePerSecond', pass.forecast.busiestSecond);
    metrics.flush();
    context.log.info('watched', { ...range, ...pass });
    return pass;
  };
}

/** Of the slowest shard, from where its cursor should be. 1 RRU per shard. */
async function lagOf({ store }: Context, shards: readonly number[], horizon: number): Promise<number> {
  const rows = await Promise.all(shards.map((shard) => store.readShard(shard)));
  const behind = rows.map((row) => (row ? horizon - row.dispatchedUntil : 0));
  return Math.max(0, ...behind) * 60;
}
