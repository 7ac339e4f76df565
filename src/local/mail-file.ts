// E-mails of local mode without SES. Each is appended to a file as one line of JSON.
import { appendFile } from 'node:fs/promises';
import { emailParams } from '../tasks/aws/email-task.ts';
import type { Recipients } from '../tasks/aws/recipients.ts';
import { defineTask, type Task } from '../tasks/task.ts';

/** The sender in place of a verified SES sender. */
export const LOCAL_SENDER = 'punctual@localhost.example';

export const mailFile = (path: string, recipients: Recipients): Task<unknown> =>
  defineTask<unknown>({
    name: 'email',
    description: 'Writes e-mails to a file.',
    params: emailParams(recipients),
    async run({ params, executionId, log }) {
      await appendFile(path, `${JSON.stringify({ ...Object(params), executionId })}\n`, { mode: 0o600 });
      log.info('e-mail written to a file instead of SES', { path });
    },
  });
