// How a runtime comes to tell what happens: by its environment, on AWS. (Local mode has the queue at hand.)
import type { SQSClient } from '@aws-sdk/client-sqs';
import { z } from 'zod';
import { type Environment, httpUrl, readConfig } from './config.ts';
import { createNotifyQueue } from './queue/notify.ts';
import type { Context } from './scheduling/context.ts';
import { telling } from './scheduling/telling.ts';

export const tellingVariables = z.object({
  /** Of the notify queue. Absent: nobody is told of anything. */
  PUNCTUAL_NOTIFY_URL: httpUrl.optional(),
  /** Name or ARN of the EventBridge bus that every change of every execution goes to. Absent: none does. */
  PUNCTUAL_EVENT_BUS: z.string().optional(),
});

export function tellingOnAws(context: Context, client: SQSClient, env: Environment): Context {
  const { PUNCTUAL_NOTIFY_URL: queueUrl, PUNCTUAL_EVENT_BUS: bus } = readConfig(tellingVariables, env);
  if (queueUrl === undefined) return context;
  const queue = createNotifyQueue({ client, queueUrl, timer: context.clock });
  return telling(context, { queue, changes: bus !== undefined });
}
