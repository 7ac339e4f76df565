// What runs on Lambda: configuration, clients and log, made once per container. A service of the API, and the consumer of
// the ingest queue.
import { Logger } from '@aws-lambda-powertools/logger';
import type { Context as LambdaContext, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { z } from 'zod';
import { type Clients, createClients } from '../clients.ts';
import { type Environment, readConfig, readRetentionDays, readSettings } from '../config.ts';
import { sendDeadLetter } from '../queue/dead-letter.ts';
import { createIngestQueue } from '../queue/ingest.ts';
import { createSqs } from '../queue/sqs.ts';
import type { Context, Log } from '../scheduling/context.ts';
import { createQuotas } from '../scheduling/quotas.ts';
import { withDefinitionCache } from '../store/definition-cache.ts';
import { createDynamoStore } from '../store/dynamo.ts';
import { systemClock, systemRandom } from '../system.ts';
import { describedOnAws } from '../tasks/described.ts';
import { taskVariables } from '../tasks/settings.ts';
import type { Tasks } from '../tasks/task.ts';
import { tellingOnAws } from '../telling.ts';
import { type ApiConfig, readApiConfig } from './config.ts';
import { createApi, type HttpEvent, type HttpResponse } from './handler.ts';
import { ingest } from './ingest.ts';
import type { Service } from './operation.ts';
import { routes } from './routes.ts';

const url = z.url({ protocol: /^https?$/ });

/** The stack sets these; there is no default that could be right. */
const schema = z.object({
  PUNCTUAL_PREFIX: z.string(),
  /** Of the work queues, in their order, with commas between. */
  PUNCTUAL_QUEUE_URLS: z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(z.array(url).min(1)),
  PUNCTUAL_DEAD_LETTER_URL: url,
});

export type ServiceHandler = (event: HttpEvent, context: LambdaContext) => Promise<HttpResponse>;

export function createService(service: Service, env: Environment): ServiceHandler {
  const { ctx, clients, logger, config } = createContext(`punctual-${service}`, env);
  // reads do not create jobs
  const ingestUrl =
    service === 'scheduler'
      ? readConfig(z.object({ PUNCTUAL_INGEST_URL: url }), env).PUNCTUAL_INGEST_URL
      : '';
  const apiWith = (tasks: Tasks) => {
    const all = routes(ctx, tasks, {
      quotas: createQuotas(ctx, config.quotas),
      ingest: createIngestQueue({ client: clients.sqs, queueUrl: ingestUrl }),
    });
    const own = all.filter(({ operation }) => operation.service === service);
    return createApi(own, { log: ctx.log, corsOrigins: config.corsOrigins });
  };
  const api = describedOnAws(readConfig(taskVariables, env)).then(apiWith);
  api.catch(() => {}); // told by the first call
  return async (event, context) => {
    logger.addContext(context);
    return (await api)(event, context);
  };
}

/** Answers with the messages that are to be delivered again; the others are done, or in the dead letters with a reason. */
export function createIngestHandler(
  env: Environment,
): (event: SQSEvent, context: LambdaContext) => Promise<SQSBatchResponse> {
  const { ctx, clients, logger, config } = createContext('punctual-ingest', env);
  const { PUNCTUAL_INGEST_DEAD_LETTER_URL: deadLetterUrl } = readConfig(
    z.object({ PUNCTUAL_INGEST_DEAD_LETTER_URL: url }),
    env,
  );
  const quotas = createQuotas(ctx, config.quotas);
  return async (event, context) => {
    logger.addContext(context);
    const failed = await Promise.all(
      event.Records.map(async ({ messageId, body }) => {
        try {
          const refused = await ingest(ctx, quotas, body);
          if (refused !== undefined) await sendDeadLetter(clients.sqs, deadLetterUrl, body, refused);
          return [];
        } catch (error) {
          ctx.log.error('an accepted job is not created yet', { messageId, error });
          return [{ itemIdentifier: messageId }];
        }
      }),
    );
    return { batchItemFailures: failed.flat() };
  };
}

function createContext(
  serviceName: string,
  env: Environment,
): { ctx: Context; clients: Clients; logger: Logger; config: ApiConfig } {
  const given = readConfig(schema, env);
  const config = readApiConfig(env);
  const settings = readSettings(env);
  const logger = new Logger({ serviceName });
  const clients = createClients();
  const ctx = {
    store: withDefinitionCache(
      createDynamoStore({
        client: clients.dynamodb,
        tablePrefix: given.PUNCTUAL_PREFIX,
        shards: settings.shards,
        retentionDays: readRetentionDays(env),
      }),
    ),
    queue: createSqs({
      client: clients.sqs,
      queueUrls: given.PUNCTUAL_QUEUE_URLS,
      deadLetterUrl: given.PUNCTUAL_DEAD_LETTER_URL,
      clock: systemClock,
    }).queue,
    clock: systemClock,
    random: systemRandom,
    log: logTo(logger),
    settings,
  };
  return { ctx: tellingOnAws(ctx, clients.sqs, env), clients, logger, config };
}

const logTo = (logger: Logger): Log => ({
  debug: (message, fields = {}) => logger.debug(message, fields),
  info: (message, fields = {}) => logger.info(message, fields),
  warn: (message, fields = {}) => logger.warn(message, fields),
  error: (message, fields = {}) => logger.error(message, fields),
});
