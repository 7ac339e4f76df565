// `punctual create` and `punctual edit`.
import type { JobInput } from '../../client/client.ts';
import { dueKey, executionId } from '../../domain/executions/ids.ts';
import { defineCommand, UsageError } from '../command.ts';
import { findJobId } from '../find.ts';
import { JOB_FLAGS, jobFields, numberOf } from '../job-flags.ts';
import { scheduleText } from '../tables.ts';
import { bothTimes } from '../times.ts';
import { WAIT_FLAGS, waitAndReport } from '../waiting.ts';
import { tellWarnings } from '../warn.ts';

export const create = defineCommand({
  name: 'create',
  summary: 'create a job',
  usage: '--task <name> [--params <json>] [--cron|--at|--in|--every …]',
  options: {
    ...JOB_FLAGS,
    key: {
      type: 'string',
      value: '<text>',
      about: 'idempotency key: the same command again creates nothing new',
    },
    ...WAIT_FLAGS,
  },
  takes: [0, 0],
  server: 'user',
  notes: ['Without a schedule it runs immediately.'],
  examples: [
    [
      'punctual create --task noop --in 3s --name hello --wait',
      'once, in three seconds; waits for the outcome',
    ],
    [
      `punctual create --task http --params '{"url":"https://example.com/hook"}' --cron '0 9 * * MON-FRI' --timezone Europe/Paris --tag team=billing`,
      'on working days at nine in Paris',
    ],
    ['punctual create --file job.json --name other', 'from a file in the form of the API, with another name'],
    [`echo '{"task":"noop"}' | punctual create --file - --json`, 'from stdin'],
  ],
  async run(cli, _args, values) {
    const fields = await jobFields(cli, values);
    if (fields.task === undefined) {
      throw new UsageError('which task? Give --task (see: punctual tasks) or a --file that names one');
    }
    const client = await cli.client();
    const job = await client.jobs.create(fields as JobInput, {
      signal: cli.signal,
      ...(values.key !== undefined && { idempotencyKey: values.key }),
    });
    const next = job.nextRunAt && `; next run ${bothTimes(job.nextRunAt, cli)}`;
    tellWarnings(cli, job.warnings);
    const due = job.nextRunAt ?? (job.schedule as { at?: string } | undefined)?.at;
    if (values.wait && due !== undefined) {
      cli.err(`created ${job.id}`);
      return waitAndReport(cli, executionId(job.id, dueKey(Date.parse(due))), values);
    }
    cli.out(cli.json ? JSON.stringify(job) : `created ${job.id}: ${scheduleText(job)}${next ?? ''}`);
    return undefined;
  },
});

export const edit = defineCommand({
  name: 'edit',
  summary: 'change a job; a new schedule counts at once',
  usage: '<job> [what changes]',
  options: {
    ...JOB_FLAGS,
    note: { type: 'string', value: '<text>', about: 'why; stands in the record of the change' },
    'if-version': { type: 'string', value: '<n>', about: 'only when the job still is this version' },
  },
  takes: [1, 1],
  server: 'user',
  notes: ['--params, --tag and the schedule replace what is there as a whole.'],
  examples: [
    [`punctual edit hello --cron '*/5 * * * *'`, 'another schedule'],
    ['punctual edit hello --max-attempts 1 --if-version 3', 'refused when somebody was faster'],
  ],
  async run(cli, [which = ''], { 'if-version': version, note, ...values }) {
    const changes = await jobFields(cli, values);
    if (Object.keys(changes).length === 0) throw new UsageError('nothing to change: give at least one field');
    const client = await cli.client();
    const body = { ...changes, ...(note !== undefined && { note }) };
    const job = await client.jobs.edit(await findJobId(client, which, cli.signal), body, {
      signal: cli.signal,
      ...(version !== undefined && { ifMatch: numberOf(version, '--if-version') }),
    });
    tellWarnings(cli, job.warnings);
    const next = job.nextRunAt && `; next run ${bothTimes(job.nextRunAt, cli)}`;
    cli.out(
      cli.json
        ? JSON.stringify(job)
        : `${job.id} is now version ${job.version}: ${scheduleText(job)}${next ?? ''}`,
    );
    return undefined;
  },
});
