// The task `sqs`: sends a message to a queue.
import { z } from 'zod';
import type { TaskServices } from '../services.ts';
import { defineTask, type Task } from '../task.ts';
import { attributesSchema, dedupId, messageAttributes, messageText } from './message-params.ts';
import { callAws } from './sdk-errors.ts';

export const sqsParams = z
  .strictObject({
    queueUrl: z
      .url({ protocol: /^https?$/ })
      .max(512)
      .describe('URL of the SQS queue'),
    body: z.unknown().describe('message body; a string is sent as it is, any other JSON value as JSON'),
    attributes: attributesSchema.optional().describe('message attributes: strings by name, at most 8'),
    delaySeconds: z.int().min(0).max(900).optional().describe('delay of the message; not for FIFO queues'),
    groupId: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 printable characters without spaces')
      .optional()
      .describe(
        'message group; default for a FIFO queue: the job id, which keeps the order of the job’s messages',
      ),
  })
  .refine(({ body }) => body !== undefined && body !== '', {
    path: ['body'],
    error: 'is missing or empty; it must be a JSON value other than ""',
  })
  .refine((params) => params.delaySeconds === undefined || !params.queueUrl.endsWith('.fifo'), {
    path: ['delaySeconds'],
    error: 'must be absent for a FIFO queue: SQS delays whole FIFO queues, not single messages',
  })
  .meta({
    examples: [{ queueUrl: 'https://sqs.eu-west-1.amazonaws.com/123456789012/orders', body: { day: 1 } }],
  });

export type SqsParams = z.infer<typeof sqsParams>;

export const sqsTask = (services: TaskServices): Task<SqsParams> =>
  defineTask<SqsParams>({
    name: 'sqs',
    description:
      'Sends a message to an SQS queue. On a FIFO queue, all attempts of an execution deliver one message.',
    params: sqsParams,
    async run(context) {
      const { aws, targets } = services;
      const { params, signal } = context;
      targets.check('sqs', params.queueUrl, context.userId);
      const fifo = params.queueUrl.endsWith('.fifo');
      const { SendMessageCommand } = await import('@aws-sdk/client-sqs');
      const client = await aws.sqs();
      const { MessageId, SequenceNumber } = await callAws(
        `send to the queue ${params.queueUrl}`,
        signal,
        () =>
          client.send(
            new SendMessageCommand({
              QueueUrl: params.queueUrl,
              MessageBody: messageText(params.body),
              DelaySeconds: params.delaySeconds,
              MessageAttributes: messageAttributes(context, params.attributes),
              MessageGroupId: params.groupId ?? (fifo ? context.jobId : undefined),
              MessageDeduplicationId: fifo ? dedupId(context.idempotencyKey) : undefined,
            }),
            { abortSignal: signal },
          ),
      );
      return { messageId: MessageId, sequenceNumber: SequenceNumber };
    },
  });
