// What every Lambda is made of, once per container: the variables that the stack sets, the log, the clients, the context.
import { Logger } from '@aws-lambda-powertools/logger';
import { z } from 'zod';
import type { Queue } from '../queue/queue.ts';
import { createSqs } from '../queue/sqs/sqs.ts';
import { type Context, isClockRight } from '../scheduling/context.ts';
import { withDefinitionCache } from '../store/definition-cache.ts';
import type { Meter } from '../store/dynamodb/capacity-meter.ts';
import { createDynamoStore } from '../store/dynamodb/dynamodb.ts';
import { type Clients, createClients } from './aws-clients.ts';
import { logWrongClock } from './clock/clock-monitor.ts';
import { createReferenceClock } from './clock/reference-clock.ts';
import { systemClock } from './clock/system-clock.ts';
import { type Environment, httpUrl, httpUrls, readConfig, readSettings, readStoreConfig } from './config.ts';
import { logTo } from './log.ts';
import { systemRandom } from './random.ts';
import { limitRepeats } from './repeated-faults.ts';

/** There is no default that could be right. */
const schema = z.object({ PUNCTUAL_PREFIX: z.string() });
const queueSchema = z.object({
  /** Of the work queues, in their order, with commas between. */
  PUNCTUAL_QUEUE_URLS: httpUrls.pipe(z.array(z.string()).min(1)),
  PUNCTUAL_DEAD_LETTER_URL: httpUrl,
});

export interface LambdaRuntime {
  /** Before the names of tables and queues. */
  readonly prefix: string;
  readonly context: Omit<Context, 'queue'>;
  readonly clients: Clients;
  /** To be told of each call, so that its lines have the request's id. */
  readonly logger: Logger;
  /** To be called first in each invocation: the container may have been frozen since the last one. */
  readonly begin: () => void;
}

export function createLambdaRuntime(serviceName: string, env: Environment, meter?: Meter): LambdaRuntime {
  const given = readConfig(schema, env);
  const settings = readSettings(env);
  const logger = new Logger({ serviceName });
  const clock = createReferenceClock(systemClock, 'answers');
  const clients = createClients({ heard: clock.heard });
  const store = createDynamoStore({
    client: clients.dynamodb,
    tablePrefix: given.PUNCTUAL_PREFIX,
    shards: settings.shards,
    ...readStoreConfig(env),
    backoff: { random: systemRandom.float, sleep: systemClock.sleep },
    meter,
  });
  const context = {
    store: withDefinitionCache(store),
    clock,
    random: systemRandom,
    log: limitRepeats(logTo(logger)),
    settings,
  };
  const begin = () => {
    clock.forget();
    // as it was at the last answer before
    if (!isClockRight(context)) logWrongClock(context);
  };
  return { prefix: given.PUNCTUAL_PREFIX, context, clients, logger, begin };
}

/** For those who send executions to workers. */
export function workQueue(env: Environment, { clients, context }: LambdaRuntime): Queue {
  const { PUNCTUAL_QUEUE_URLS: queueUrls, PUNCTUAL_DEAD_LETTER_URL: deadLetterUrl } = readConfig(
    queueSchema,
    env,
  );
  return createSqs({ client: clients.sqs, queueUrls, deadLetterUrl, clock: context.clock }).queue;
}
