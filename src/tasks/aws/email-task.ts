// The task `email`: sends an e-mail by SES.
import { z } from 'zod';
import type { TaskServices } from '../services.ts';
import { defineTask, type Task } from '../task.ts';
import { type Recipients, recipientSchema } from './recipients.ts';
import { callAws } from './sdk-errors.ts';

/** What SES takes in one message, all three lists together. */
const MAX_RECIPIENTS = 50;

const address = z.email('must be an e-mail address').max(320);

export const emailParams = (recipients: Recipients) => {
  const allowed = z.array(recipientSchema(recipients)).max(MAX_RECIPIENTS);
  return z
    .strictObject({
      from: address.describe('a sender that is verified in SES'),
      fromName: z
        .string()
        .regex(
          /^[^"\\<>\p{C}]{1,100}$/u,
          'must be up to 100 characters without quotes, brackets and line breaks',
        )
        .optional()
        .describe('shown instead of the address'),
      to: allowed.min(1).describe('at least one'),
      cc: allowed.optional().describe('get a copy'),
      bcc: allowed.optional().describe('get a copy that the others do not see'),
      replyTo: z
        .array(address)
        .max(MAX_RECIPIENTS)
        .optional()
        .describe('where answers go; default: to the sender'),
      subject: z
        .string()
        .regex(/^\P{C}{1,250}$/u, 'must be up to 250 characters without line breaks')
        .describe('one line'),
      text: z.string().min(1).optional().describe('the plain text'),
      html: z.string().min(1).optional().describe('the HTML; with `text` too, the reader’s program chooses'),
      configurationSet: z.string().min(1).max(64).optional().describe('of SES, for its events'),
    })
    .refine(({ text, html }) => text !== undefined || html !== undefined, {
      path: ['text'],
      error: 'must be there unless there is `html`',
    })
    .refine(({ to, cc = [], bcc = [] }) => to.length + cc.length + bcc.length <= MAX_RECIPIENTS, {
      path: ['to'],
      error: `must have at most ${MAX_RECIPIENTS} addresses, cc and bcc included`,
    });
};

export type EmailParams = z.infer<ReturnType<typeof emailParams>>;

/** RFC 2047: a display name with other characters than ASCII is encoded. */
function sender({ from, fromName }: EmailParams): string {
  if (fromName === undefined) return from;
  const ascii = /^[\x20-\x7e]+$/.test(fromName);
  const name = ascii ? `"${fromName}"` : `=?UTF-8?B?${Buffer.from(fromName).toString('base64')}?=`;
  return `${name} <${from}>`;
}

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });

export const emailTask = (services: TaskServices): Task<EmailParams> =>
  defineTask<EmailParams>({
    name: 'email',
    description: 'Sends an e-mail by SES. SES cannot tell a repeated one: a retry may send it twice.',
    params: emailParams(services.recipients),
    async run({ params, signal, userId, executionId }) {
      const { aws, targets } = services;
      targets.check('email', params.from, userId);
      const { SendEmailCommand } = await import('@aws-sdk/client-sesv2');
      const client = await aws.ses();
      const { MessageId } = await callAws(`send an e-mail from ${params.from}`, signal, () =>
        client.send(
          new SendEmailCommand({
            FromEmailAddress: sender(params),
            Destination: { ToAddresses: params.to, CcAddresses: params.cc, BccAddresses: params.bcc },
            ReplyToAddresses: params.replyTo,
            ConfigurationSetName: params.configurationSet,
            Content: {
              Simple: {
                Subject: utf8(params.subject),
                Body: {
                  Text: params.text === undefined ? undefined : utf8(params.text),
                  Html: params.html === undefined ? undefined : utf8(params.html),
                },
                Headers: [{ Name: 'Punctual-Execution', Value: executionId }],
              },
            },
          }),
          { abortSignal: signal },
        ),
      );
      return { messageId: MessageId };
    },
  });
