// What of the API runs on Lambda: its two services, and the consumer of the ingest queue.
import type { Context as LambdaContext, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { z } from 'zod';
import { type Environment, httpUrl, readConfig } from '../config.ts';
import { type OnLambda, onLambda, workQueue } from '../on-lambda.ts';
import { sendDeadLetter } from '../queue/dead-letter.ts';
import { inTrace } from '../queue/in-trace.ts';
import { createIngestQueue } from '../queue/ingest.ts';
import type { Context } from '../scheduling/context.ts';
import { createQuotas } from '../scheduling/quotas.ts';
import { describedOnAws } from '../tasks/described.ts';
import { allowedRecipients, taskVariables } from '../tasks/settings.ts';
import type { Tasks } from '../tasks/task.ts';
import { tellingOnAws } from '../telling.ts';
import { traceOfCall } from '../tracing.ts';
import { type ApiConfig, readApiConfig } from './config.ts';
import { createApi, type HttpEvent, type HttpResponse } from './handler.ts';
import { ingest } from './ingest.ts';
import type { Service } from './operation.ts';
import { routes } from './routes.ts';

export type ServiceHandler = (event: HttpEvent, context: LambdaContext) => Promise<HttpResponse>;

export function createService(service: Service, env: Environment): ServiceHandler {
  const { ctx, clients, logger, begin, config } = createContext(`punctual-${service}`, env);
  // reads do not create jobs
  const ingestUrl =
    service === 'scheduler'
      ? readConfig(z.object({ PUNCTUAL_INGEST_URL: httpUrl }), env).PUNCTUAL_INGEST_URL
      : '';
  const given = readConfig(taskVariables, env);
  const apiWith = (tasks: Tasks) => {
    const all = routes(ctx, tasks, {
      recipients: allowedRecipients(given),
      quotas: createQuotas(ctx, config.quotas),
      ingest: createIngestQueue({
        client: clients.sqs,
        queueUrl: ingestUrl,
        trace: () => traceOfCall(env),
      }),
    });
    const own = all.filter(({ operation }) => operation.service === service);
    return createApi(own, { ...config, log: ctx.log });
  };
  const api = describedOnAws(given).then(apiWith);
  api.catch(() => {}); // told by the first call
  return async (event, context) => {
    logger.addContext(context);
    begin();
    return (await api)(event, context);
  };
}

/** Answers with the messages that are to be delivered again; the others are done, or in the dead letters with a reason. */
export function createIngestHandler(
  env: Environment,
): (event: SQSEvent, context: LambdaContext) => Promise<SQSBatchResponse> {
  const { ctx, clients, logger, begin, config } = createContext('punctual-ingest', env);
  const { PUNCTUAL_INGEST_DEAD_LETTER_URL: deadLetterUrl } = readConfig(
    z.object({ PUNCTUAL_INGEST_DEAD_LETTER_URL: httpUrl }),
    env,
  );
  const quotas = createQuotas(ctx, config.quotas);
  return async (event, context) => {
    logger.addContext(context);
    begin();
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
): Omit<OnLambda, 'context'> & { readonly ctx: Context; readonly config: ApiConfig } {
  const lambda = onLambda(serviceName, env);
  const { context, ...more } = lambda;
  const queue = inTrace(workQueue(env, lambda), () => traceOfCall(env));
  return {
    ...more,
    ctx: tellingOnAws({ ...context, queue }, more.clients.sqs, env),
    config: readApiConfig(env),
  };
}
