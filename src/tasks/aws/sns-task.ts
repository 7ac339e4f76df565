// The task `sns`: publishes a message to a topic.
import { z } from 'zod';
import type { TaskServices } from '../services.ts';
import { defineTask, type Task } from '../task.ts';
import { attributesSchema, dedupId, messageAttributes, messageText } from './message-params.ts';
import { callAws } from './sdk-errors.ts';

export const snsParams = z
  .strictObject({
    topicArn: z
      .string()
      .regex(
        /^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?$/,
        'must be the ARN of an SNS topic',
      )
      .describe('ARN of the SNS topic'),
    message: z.unknown().describe('message; a string is published as it is, any other JSON value as JSON'),
    subject: z
      .string()
      .regex(/^[\x20-\x7e]{1,100}$/, 'must be 1 to 100 ASCII characters without line breaks')
      .optional()
      .describe('subject of e-mails to subscribers'),
    attributes: attributesSchema.optional().describe('message attributes: strings by name, at most 8'),
    groupId: z
      .string()
      .regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 printable characters without spaces')
      .optional()
      .describe(
        'message group; default for a FIFO topic: the job id, which keeps the order of the job’s messages',
      ),
  })
  .refine(({ message }) => message !== undefined && message !== '', {
    path: ['message'],
    error: 'is missing or empty; it must be a JSON value other than ""',
  })
  .meta({
    examples: [
      {
        topicArn: 'arn:aws:sns:eu-west-1:123456789012:news',
        message: 'It is Monday',
        subject: 'Monday',
      },
    ],
  });

export type SnsParams = z.infer<typeof snsParams>;

export const snsTask = (services: TaskServices): Task<SnsParams> =>
  defineTask<SnsParams>({
    name: 'sns',
    description: 'Publishes a message to an SNS topic.',
    params: snsParams,
    async run(context) {
      const { aws, targets } = services;
      const { params, signal } = context;
      targets.check('sns', params.topicArn, context.userId);
      const fifo = params.topicArn.endsWith('.fifo');
      const { PublishCommand } = await import('@aws-sdk/client-sns');
      const client = await aws.sns();
      const { MessageId, SequenceNumber } = await callAws(
        `publish to the topic ${params.topicArn}`,
        signal,
        () =>
          client.send(
            new PublishCommand({
              TopicArn: params.topicArn,
              Message: messageText(params.message),
              Subject: params.subject,
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
