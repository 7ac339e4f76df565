// A custom task and its job. `tasks/` of a project has files like this one.
import { DoNotRetry, defineTask } from 'punctual/tasks';
import { defineJob } from 'punctual/testing';
import { z } from 'zod';

/** The system that the task calls. A test gives its own. */
export interface Mailer {
  send(team: string, month: string): Promise<void>;
}

export const createInvoices = (mailer: Mailer) =>
  defineTask({
    name: 'invoices',
    description: 'Sends the invoices of a team.',
    params: z.strictObject({ team: z.string().min(1), copies: z.int().default(1) }),
    async run({ params: { team }, dueAt, log }) {
      if (team === 'closed') throw new DoNotRetry('the team has no account any more');
      const month = dueAt.toISOString().slice(0, 7);
      await mailer.send(team, month);
      log.info('invoices sent', { team, month });
      return { month };
    },
  });

/** At 09:00 in Paris on the working day nearest to the 15th. `params` is checked by the compiler. */
export const invoicesJob = (task: ReturnType<typeof createInvoices>, team: string) =>
  defineJob(task, {
    name: `invoices-${team}`,
    params: { team },
    schedule: { cron: '0 9 15W * *', timezone: 'Europe/Paris' },
    retry: { maxAttempts: 4, backoffSeconds: 600 },
  });
