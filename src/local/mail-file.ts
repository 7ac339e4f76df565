// Where e-mails go in local mode when there is no SES: a line of JSON each, at the end of a file.
import { appendFile } from 'node:fs/promises';
import { emailParams } from '../tasks/aws/email-task.ts';
import type { Recipients } from '../tasks/aws/recipients.ts';
import { defineTask, type Task } from '../tasks/task.ts';

/** Stands in for SES's sender. */
export const LOCAL_SENDER = 'punctual@localhost.example';

export const mailFile = (path: string, recipients: Recipients): Task<unknown> =>
  defineTask<unknown>({
    name: 'email',
    description: 'Writes e-mails to a file.',
    params: emailParams(recipients),
    async run({ params, executionId, log }) {
      await appendFile(path, `${JSON.stringify({ ...Object(params), executionId })}\n`);
      log.info('an e-mail was written to a file: there is no SES here', { path });
    },
  });
