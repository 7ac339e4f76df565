// Notifications of the runtimes on AWS, configured by environment variables. Local mode passes its own queue.
import type { SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { publishEvents } from '../notifications/publish-events.ts';
import { createNotifyQueue } from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';
import { type Environment, httpUrl, readConfig } from './config.ts';

export const publishingVariables = z.object({
  /** The URL of the notify queue. Absent: notifications are off. */
  PUNCTUAL_NOTIFY_URL: httpUrl.optional(),
  /** Name or ARN of the EventBridge bus for changes of executions. Absent: changes are not published. */
  PUNCTUAL_EVENT_BUS: z.string().optional(),
});

export function publishingFromEnvironment(context: Context, client: SQSClient, env: Environment): Context {
  const { PUNCTUAL_NOTIFY_URL: queueUrl, PUNCTUAL_EVENT_BUS: bus } = readConfig(publishingVariables, env);
  if (queueUrl === undefined) return context;
  const queue = createNotifyQueue({ client, queueUrl, timer: context.clock });
  return publishEvents(context, { queue, changes: bus !== undefined });
}
