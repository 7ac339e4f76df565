// The task `email`: sends an e-mail with SES.
import { z } from 'zod';
import type { TaskServices } from '../services.ts';
import { defineTask, type Task } from '../task.ts';
import { type Recipients, recipientSchema } from './recipients.ts';
import { callAws } from './sdk-errors.ts';

/** SES's maximum number of recipients of one message: to, cc and bcc together. */
const MAX_RECIPIENTS = 50;

const address = z.email('must be an e-mail address').max(320);

export const emailParams = (recipients: Recipients) => {
  const allowed = z.array(recipientSchema(recipients)).max(MAX_RECIPIENTS);
  return z
    .strictObject({
      from: address.describe('sender address that is verified in SES'),
      fromName: z
        .string()
        .regex(
          /^[^"\\<>\p{C}]{1,100}$/u,
          'must be up to 100 characters without quotes, brackets and line breaks',
        )
        .optional()
        .describe('display name of the sender'),
      to: allowed.min(1).describe('recipients, at least one'),
      cc: allowed.optional().describe('recipients of a copy'),
      bcc: allowed.optional().describe('recipients of a blind copy'),
      replyTo: z
        .array(address)
        .max(MAX_RECIPIENTS)
        .optional()
        .describe('addresses for replies; default: the sender'),
      subject: z
        .string()
        .regex(/^\P{C}{1,250}$/u, 'must be up to 250 characters without line breaks')
        .describe('subject, one line'),
      text: z.string().min(1).optional().describe('plain text body'),
      html: z
        .string()
        .min(1)
        .optional()
        .describe('HTML body; with both, the mail program of the recipient chooses'),
      configurationSet: z.string().min(1).max(64).optional().describe('configuration set of SES'),
    })
    .refine(({ text, html }) => text !== undefined || html !== undefined, {
      path: ['text'],
      error: 'is missing; `text` or `html` is required',
    })
    .refine(({ to, cc = [], bcc = [] }) => to.length + cc.length + bcc.length <= MAX_RECIPIENTS, {
      path: ['to'],
      error: `must have at most ${MAX_RECIPIENTS} addresses, cc and bcc included`,
    })
    .meta({
      examples: [
        {
          from: 'reports@example.com',
          to: ['team@example.com'],
          subject: 'Numbers',
          text: 'Here they are.',
        },
      ],
    });
};

export type EmailParams = z.infer<ReturnType<typeof emailParams>>;

/** The From header. A display name with characters other than ASCII is encoded (RFC 2047). */
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
    description: 'Sends an e-mail with SES. SES does not deduplicate: a retry may send it twice.',
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
