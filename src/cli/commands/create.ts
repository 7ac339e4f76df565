// `punctual create`: creates a job.
import type { JobInput } from '../../client/client.ts';
import { dueKey, executionId } from '../../domain/executions/ids.ts';
import { defineCommand, UsageError } from '../command.ts';
import { JOB_FLAGS, jobFields } from '../job-flags.ts';
import { printWarnings } from '../print-warnings.ts';
import { nextRunText, scheduleText } from '../resource-tables.ts';
import { WAIT_FLAGS, waitForExecutionAndReport } from '../wait.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'create a job',
  usage: '--task <name> [--params <json>] [--cron|--at|--in|--every …]',
  options: {
    ...JOB_FLAGS,
    'idempotency-key': {
      type: 'string',
      value: '<text>',
      about: 'a repeated command with this key creates no second job',
    },
    ...WAIT_FLAGS,
  },
  takes: [0, 0],
  server: 'user',
  notes: ['A job without a schedule runs immediately.'],
  examples: [
    [
      'punctual create --task noop --in 3s --name hello --wait',
      'run once in 3 seconds and wait for the result',
    ],
    [
      `punctual create --task http --params '{"url":"https://example.com/hook"}' --cron '0 9 * * MON-FRI' --timezone Europe/Paris --tag team=billing`,
      'run on weekdays at 09:00 Paris time',
    ],
    [
      'punctual create --file job.json --name other',
      'read the fields of the API from a file, and override the name',
    ],
    [`echo '{"task":"noop"}' | punctual create --file - --json`, 'read the fields from stdin'],
  ],
  async run(cli, _args, values) {
    const fields = await jobFields(cli, values);
    if (fields.task === undefined) {
      throw new UsageError('the task is missing: give --task (see: punctual tasks) or a --file with a task');
    }
    const client = await cli.client();
    const idempotencyKey = values['idempotency-key'];
    const job = await client.jobs.create(fields as JobInput, {
      signal: cli.signal,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    printWarnings(cli, job.warnings);
    const due = job.nextRunAt ?? (job.schedule as { at?: string } | undefined)?.at;
    if (values.wait && due !== undefined) {
      cli.err(`created ${job.id}`);
      return waitForExecutionAndReport(cli, executionId(job.id, dueKey(Date.parse(due))), values);
    }
    cli.out(
      cli.json ? JSON.stringify(job) : `created ${job.id}: ${scheduleText(job)}${nextRunText(job, cli)}`,
    );
    return undefined;
  },
});
