// `punctual cancel`: cancels jobs or single executions.
import { defineCommand } from '../command.ts';
import { executionOutcome, forEachArgument, NOTE_FLAG, UNLIMITED } from '../each-argument.ts';
import { findJobId, isExecutionId } from '../find-job.ts';

export const cancel = defineCommand({
  name: 'cancel',
  summary: 'cancel jobs permanently, or single executions; running tasks are asked to stop',
  usage: '<job or execution>… [--note <text>]',
  options: NOTE_FLAG,
  takes: [1, UNLIMITED],
  server: 'user',
  examples: [
    ['punctual cancel hello', 'cancel a job; no execution of it starts again'],
    ['punctual cancel job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000', 'cancel one execution; the job continues'],
  ],
  notes: ['The note is recorded for jobs only. Executions have no record of changes.'],
  async run(cli, args, { note }) {
    const client = await cli.client();
    const { signal } = cli;
    return forEachArgument(cli, args, async (argument) => {
      if (isExecutionId(argument))
        return executionOutcome(await client.executions.cancel(argument, { signal }));
      const id = await findJobId(client, argument, signal);
      await client.jobs.cancel(id, { note, signal });
      return { value: { id, status: 'cancelled' }, line: `${id} is cancelled` };
    });
  },
});
