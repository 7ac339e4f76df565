// The notifier on Lambda. Its event source takes partial batch failures. A message to retry later is hidden until then.
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import type { Context as LambdaRuntime, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { z } from 'zod';
import type { Notifier } from '../notifications/handle-notification.ts';
import { createNotifyQueue } from '../queue/notify-queue.ts';
import { sendDeadLetter } from '../queue/sqs/dead-letter.ts';
import { type Environment, httpUrl, readConfig } from '../runtime/config.ts';
import { createLambdaRuntime } from '../runtime/lambda-context.ts';
import type { Context } from '../scheduling/context.ts';
import { notificationTasksOnAws } from '../tasks/aws/worker-tasks.ts';
import { taskVariables } from '../tasks/task-settings.ts';
import { readNotifierConfig } from './config.ts';
import { consume, jobOf } from './consume.ts';

/** The stack sets these. They have no default. */
const schema = z.object({ PUNCTUAL_NOTIFY_URL: httpUrl, PUNCTUAL_NOTIFY_DEAD_LETTER_URL: httpUrl });

/** SQS's maximum visibility timeout. */
const MAX_VISIBILITY_SECONDS = 43_200;

export type NotifierHandler = (event: SQSEvent, invocation: LambdaRuntime) => Promise<SQSBatchResponse>;

export function createNotifierHandler(env: Environment): NotifierHandler {
  const given = readConfig(schema, env);
  const config = readNotifierConfig(env);
  const { context: base, clients, logger, begin } = createLambdaRuntime('punctual-notifier', env);
  const queueUrl = given.PUNCTUAL_NOTIFY_URL;
  const context: Context = {
    ...base,
    queue: { send: () => Promise.reject(new Error('the notifier has no work queue')) },
  };
  const notifier: Notifier = {
    ...config,
    context,
    queue: createNotifyQueue({ client: clients.sqs, queueUrl, timer: context.clock }),
    tasks: notificationTasksOnAws(readConfig(taskVariables, env), config),
  };

  async function handle({ body, messageId, receiptHandle, attributes }: SQSRecord): Promise<string[]> {
    try {
      const outcome = await consume(notifier, body, Number(attributes.ApproximateReceiveCount));
      if (outcome.kind === 'done') return [];
      if (outcome.kind === 'never') {
        context.log.warn('notification cannot be delivered; moving it to the dead-letter queue', {
          messageId,
          reason: outcome.reason,
        });
        await sendDeadLetter(clients.sqs, given.PUNCTUAL_NOTIFY_DEAD_LETTER_URL, body, outcome.reason);
        return [];
      }
      const VisibilityTimeout = Math.min(Math.ceil(outcome.ms / 1000), MAX_VISIBILITY_SECONDS);
      const request = { QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout };
      await clients.sqs.send(new ChangeMessageVisibilityCommand(request));
    } catch (error) {
      // SQS redelivers the message after its visibility timeout
      context.log.error('failed to handle a notify message; it will be redelivered', { messageId, error });
    }
    return [messageId];
  }

  return async (event, invocation) => {
    logger.addContext(invocation);
    begin();
    const perJob = [...Map.groupBy(event.Records, ({ body }) => jobOf(body)).values()];
    const failed = await Promise.all(
      perJob.map(async (records) => {
        const ids: string[] = [];
        for (const record of records) ids.push(...(await handle(record)));
        return ids;
      }),
    );
    return { batchItemFailures: failed.flat().map((itemIdentifier) => ({ itemIdentifier })) };
  };
}
