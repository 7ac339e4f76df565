// The Lambda functions of the API: the scheduler and query services, and the consumer of the ingest queue.
import type { Context as LambdaContext, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { z } from 'zod';
import { createQuotas } from '../jobs/enforce-quotas.ts';
import { createIngestQueue } from '../queue/ingest-queue.ts';
import { sendDeadLetter } from '../queue/sqs/dead-letter.ts';
import { inTrace } from '../queue/with-trace.ts';
import { type Environment, httpUrl, readConfig } from '../runtime/config.ts';
import { createLambdaRuntime, type LambdaRuntime, workQueue } from '../runtime/lambda-context.ts';
import { publishingFromEnvironment } from '../runtime/publishing.ts';
import { traceOfCall } from '../runtime/tracing.ts';
import type { Clock, Context } from '../scheduling/context.ts';
import { describableTasksOnAws } from '../tasks/describable-tasks.ts';
import type { Tasks } from '../tasks/task.ts';
import { allowedRecipients, taskVariables } from '../tasks/task-settings.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { readAuthorization } from './authorization.ts';
import { type ApiConfig, readApiConfig } from './config.ts';
import type { Service } from './contract/endpoint.ts';
import { ingest } from './handlers/ingest.ts';
import { routes } from './handlers/scheduler-routes.ts';
import { consoleRedirect } from './http/console-redirect.ts';
import { createApi } from './http/handler.ts';
import type { HttpEvent, HttpResponse } from './http/http-event.ts';
import { boundRequests, refuseAfterEnd } from './request-bounds.ts';

export type ServiceHandler = (event: HttpEvent, context: LambdaContext) => Promise<HttpResponse>;

/** `telemetry` is given by the query service only, so that the bundle of the other one does not contain its clients. */
export function createService(
  service: Service,
  env: Environment,
  telemetry?: (env: Environment, clock: Clock) => Telemetry,
): ServiceHandler {
  const { ctx, clients, logger, begin, config } = createContext(`punctual-${service}`, env);
  // Only the scheduler service creates jobs.
  const ingestUrl =
    service === 'scheduler'
      ? readConfig(z.object({ PUNCTUAL_INGEST_URL: httpUrl }), env).PUNCTUAL_INGEST_URL
      : '';
  const taskConfig = readConfig(taskVariables, env);
  const quotas = createQuotas(ctx, config.limits);
  const authorization = readAuthorization(env);
  const createApiWith = (tasks: Tasks) => {
    const allRoutes = routes(ctx, tasks, {
      recipients: allowedRecipients(taskConfig),
      quotas,
      ...(telemetry && { telemetry: telemetry(env, ctx.clock) }),
      ingest: createIngestQueue({
        client: clients.sqs,
        queueUrl: ingestUrl,
        trace: () => traceOfCall(env),
      }),
    });
    const ownRoutes = allRoutes.filter(({ operation }) => operation.service === service);
    return createApi(ownRoutes, {
      ...config,
      ...authorization,
      log: ctx.log,
      throttle: quotas.takeRequest,
      bounded: boundRequests(quotas, ctx.clock),
    });
  };
  const api = describableTasksOnAws(taskConfig).then(createApiWith);
  // The first request reports the error.
  api.catch(() => {});
  return async (event, context) => {
    logger.addContext(context);
    begin();
    return consoleRedirect(event) ?? (await api)(event, context);
  };
}

/**
 * Returns the messages that SQS must deliver again. The other jobs are created, or their messages are in the dead-letter
 * queue with a reason.
 */
export function createIngestHandler(
  env: Environment,
): (event: SQSEvent, context: LambdaContext) => Promise<SQSBatchResponse> {
  const { ctx, clients, logger, begin } = createContext('punctual-ingest', env);
  const { PUNCTUAL_INGEST_DEAD_LETTER_URL: deadLetterUrl } = readConfig(
    z.object({ PUNCTUAL_INGEST_DEAD_LETTER_URL: httpUrl }),
    env,
  );
  return async (event, context) => {
    logger.addContext(context);
    begin();
    const failed = await Promise.all(
      event.Records.map(async ({ messageId, body }) => {
        try {
          const refused = await ingest(ctx, body);
          if (refused !== undefined) await sendDeadLetter(clients.sqs, deadLetterUrl, body, refused);
          return [];
        } catch (error) {
          ctx.log.error('failed to create an accepted job; its message will be redelivered', {
            messageId,
            error,
          });
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
): Omit<LambdaRuntime, 'context'> & { readonly ctx: Context; readonly config: ApiConfig } {
  const runtime = createLambdaRuntime(serviceName, env, { beforeAttempt: refuseAfterEnd });
  const { context, ...others } = runtime;
  const queue = inTrace(workQueue(env, runtime), () => traceOfCall(env));
  return {
    ...others,
    ctx: publishingFromEnvironment({ ...context, queue }, others.clients.sqs, env),
    config: readApiConfig(env),
  };
}
