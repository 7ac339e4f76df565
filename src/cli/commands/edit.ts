// `punctual edit`: changes a job.
import { defineCommand, UsageError } from '../command.ts';
import { NOTE_FLAG } from '../each-argument.ts';
import { findJobId } from '../find-job.ts';
import { JOB_FLAGS, jobFields, numberOf } from '../job-flags.ts';
import { printWarnings } from '../print-warnings.ts';
import { nextRunText, scheduleText } from '../resource-tables.ts';

export const edit = defineCommand({
  name: 'edit',
  summary: 'change a job; a new schedule takes effect immediately',
  usage: '<job> [fields]',
  options: {
    ...JOB_FLAGS,
    ...NOTE_FLAG,
    'if-version': { type: 'string', value: '<n>', about: 'fail unless the job has this version' },
  },
  takes: [1, 1],
  server: 'user',
  notes: ['--params, --tag and the schedule flags replace the whole field.'],
  examples: [
    [`punctual edit hello --cron '*/5 * * * *'`, 'change the schedule'],
    ['punctual edit hello --max-attempts 1 --if-version 3', 'fail if the job was changed since version 3'],
  ],
  async run(cli, [idOrName = ''], { 'if-version': version, note, ...values }) {
    const changes = await jobFields(cli, values);
    if (Object.keys(changes).length === 0) throw new UsageError('nothing to change: give at least one field');
    const client = await cli.client();
    const body = { ...changes, ...(note !== undefined && { note }) };
    const job = await client.jobs.edit(await findJobId(client, idOrName, cli.signal), body, {
      signal: cli.signal,
      ...(version !== undefined && { ifMatch: numberOf(version, '--if-version') }),
    });
    printWarnings(cli, job.warnings);
    cli.out(
      cli.json
        ? JSON.stringify(job)
        : `${job.id} is now version ${job.version}: ${scheduleText(job)}${nextRunText(job, cli)}`,
    );
    return undefined;
  },
});
