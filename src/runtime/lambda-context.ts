// The parts of every Lambda, created once per container: settings from the stack's variables, log, clients, context.
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

const schema = z.object({ PUNCTUAL_PREFIX: z.string() });
const queueSchema = z.object({
  /** The comma-separated URLs of the work queues, in the order of their numbers. */
  PUNCTUAL_QUEUE_URLS: httpUrls.pipe(z.array(z.string()).min(1)),
  PUNCTUAL_DEAD_LETTER_URL: httpUrl,
});

export interface LambdaRuntime {
  /** The prefix of the names of tables and queues. */
  readonly prefix: string;
  readonly context: Omit<Context, 'queue'>;
  readonly clients: Clients;
  /** Gets the context of each invocation, so that log lines have its request id. */
  readonly logger: Logger;
  /** Call it first in each invocation, because the container may have been frozen since the last one. */
  readonly begin: () => void;
}

export interface LambdaOptions {
  readonly meter?: Meter;
  /** Called before each attempt of a call to DynamoDB or SQS. */
  readonly beforeAttempt?: () => void;
}

export function createLambdaRuntime(
  serviceName: string,
  env: Environment,
  { meter, beforeAttempt }: LambdaOptions = {},
): LambdaRuntime {
  const given = readConfig(schema, env);
  const settings = readSettings(env);
  const logger = new Logger({ serviceName });
  const clock = createReferenceClock(systemClock, 'answers');
  const clients = createClients({ heard: clock.heard, beforeAttempt });
  const store = createDynamoStore({
    client: clients.dynamodb,
    tablePrefix: given.PUNCTUAL_PREFIX,
    shards: settings.shards,
    ...readStoreConfig(env),
    backoff: { random: systemRandom.float, sleep: systemClock.sleep },
    monotonic: systemClock.monotonic,
    now: systemClock.now,
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
    // the state at the last response
    if (!isClockRight(context)) logWrongClock(context);
  };
  return { prefix: given.PUNCTUAL_PREFIX, context, clients, logger, begin };
}

/** The sender to the work queues. */
export function workQueue(env: Environment, { clients, context }: LambdaRuntime): Queue {
  const { PUNCTUAL_QUEUE_URLS: queueUrls, PUNCTUAL_DEAD_LETTER_URL: deadLetterUrl } = readConfig(
    queueSchema,
    env,
  );
  return createSqs({ client: clients.sqs, queueUrls, deadLetterUrl, clock: context.clock }).queue;
}
