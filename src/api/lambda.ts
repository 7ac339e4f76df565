// A service of the API on Lambda: configuration, clients and log, made once per container.
import { Logger } from '@aws-lambda-powertools/logger';
import type { Context as LambdaContext } from 'aws-lambda';
import { z } from 'zod';
import { createClients } from '../clients.ts';
import { type Environment, readConfig, readSettings } from '../config.ts';
import { createSqs } from '../queue/sqs.ts';
import type { Log } from '../scheduling/context.ts';
import { createDynamoStore } from '../store/dynamo.ts';
import { systemClock, systemRandom } from '../system.ts';
import { builtinTasks } from '../tasks/builtin.ts';
import { createApi, type HttpEvent, type HttpResponse } from './handler.ts';
import type { Service } from './operation.ts';
import { routes } from './routes.ts';

/** The stack sets these; there is no default that could be right. */
const schema = z.object({
  PUNCTUAL_PREFIX: z.string(),
  /** Of the work queues, in their order, with commas between. */
  PUNCTUAL_QUEUE_URLS: z
    .string()
    .transform((text) => text.split(',').map((url) => url.trim()))
    .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1)),
  PUNCTUAL_DEAD_LETTER_URL: z.url({ protocol: /^https?$/ }),
});

export type ServiceHandler = (event: HttpEvent, context: LambdaContext) => Promise<HttpResponse>;

export function createService(service: Service, env: Environment): ServiceHandler {
  const config = readConfig(schema, env);
  const settings = readSettings(env);
  const logger = new Logger({ serviceName: `punctual-${service}` });
  const clients = createClients();
  const ctx = {
    store: createDynamoStore({
      client: clients.dynamodb,
      tablePrefix: config.PUNCTUAL_PREFIX,
      shards: settings.shards,
    }),
    queue: createSqs({
      client: clients.sqs,
      queueUrls: config.PUNCTUAL_QUEUE_URLS,
      deadLetterUrl: config.PUNCTUAL_DEAD_LETTER_URL,
      clock: systemClock,
    }).queue,
    clock: systemClock,
    random: systemRandom,
    log: logTo(logger),
    settings,
  };
  const own = routes(ctx, builtinTasks()).filter(({ operation }) => operation.service === service);
  const api = createApi(own, { log: ctx.log });
  return (event, context) => {
    logger.addContext(context);
    return api(event, context);
  };
}

const logTo = (logger: Logger): Log => ({
  debug: (message, fields = {}) => logger.debug(message, fields),
  info: (message, fields = {}) => logger.info(message, fields),
  warn: (message, fields = {}) => logger.warn(message, fields),
  error: (message, fields = {}) => logger.error(message, fields),
});
