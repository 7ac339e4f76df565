// How a runtime comes to tell what happens: by its environment, on AWS. (Local mode has the queue at hand.)
import type { SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { publishEvents } from '../notifications/publish-events.ts';
import { createNotifyQueue } from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';
import { type Environment, httpUrl, readConfig } from './config.ts';

export const publishingVariables = z.object({
  /** Of the notify queue. Absent: nobody is told of anything. */
  PUNCTUAL_NOTIFY_URL: httpUrl.optional(),
  /** Name or ARN of the EventBridge bus that every change of every execution goes to. Absent: none does. */
  PUNCTUAL_EVENT_BUS: z.string().optional(),
});

export function publishingFromEnvironment(context: Context, client: SQSClient, env: Environment): Context {
  const { PUNCTUAL_NOTIFY_URL: queueUrl, PUNCTUAL_EVENT_BUS: bus } = readConfig(publishingVariables, env);
  if (queueUrl === undefined) return context;
  const queue = createNotifyQueue({ client, queueUrl, timer: context.clock });
  return publishEvents(context, { queue, changes: bus !== undefined });
}
