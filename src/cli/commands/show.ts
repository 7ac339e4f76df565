// `punctual show`: everything about one job or one execution.
import type { Execution, Job } from '../../client/client.ts';
import { type Cli, defineCommand } from '../command.ts';
import { findJobId, isExecutionId } from '../find.ts';
import { fields } from '../table.ts';
import { executionTable, scheduleText } from '../tables.ts';
import { bothTimes, lengthText } from '../times.ts';

const RECENT = 5;

export const show = defineCommand({
  name: 'show',
  summary: 'show a job with its last executions, or an execution with its timeline',
  usage: '<job or execution>',
  options: {},
  takes: [1, 1],
  server: 'user',
  notes: [
    'A job is named by its id or its name.',
    'With --json: the job or the execution as the API answers it.',
  ],
  examples: [
    ['punctual show hello', 'by name'],
    ['punctual show job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000', 'an execution'],
  ],
  async run(cli, [which = '']) {
    const client = await cli.client();
    const { signal } = cli;
    if (isExecutionId(which)) {
      const execution = await client.executions.get(which, { signal });
      print(cli, execution, executionLines(execution, cli));
      return undefined;
    }
    const job = await client.jobs.get(await findJobId(client, which, signal), { signal });
    if (cli.json) {
      cli.out(JSON.stringify(job));
      return undefined;
    }
    const { items } = await client.executions.ofJob(job.id, { limit: RECENT }, { signal }).page();
    print(cli, job, jobLines(job, cli));
    if (items.length > 0) for (const line of ['', ...executionTable(items, cli)]) cli.out(line);
    return undefined;
  },
});

function print(cli: Cli, value: unknown, lines: readonly string[]): void {
  for (const line of cli.json ? [JSON.stringify(value)] : lines) cli.out(line);
}

const jobLines = (job: Job, cli: Cli): string[] =>
  fields(
    [
      ['id', job.id],
      ['name', job.name],
      ['status', job.status],
      ['schedule', scheduleText(job)],
      ['next run', bothTimes(job.nextRunAt, cli)],
      ['task', job.task],
      ['params', JSON.stringify(job.params)],
      [
        'tags',
        Object.entries(job.tags)
          .map(([key, value]) => `${key}=${value}`)
          .join(' '),
      ],
      ['retry', retryText(job)],
      ['timeout', lengthText(job.timeoutSeconds * 1000)],
      ['overlap', job.overlap],
      ['misfire', `${job.misfire.policy}, when later than ${job.misfire.graceSeconds} s`],
      ['notify', job.notify.length > 0 ? JSON.stringify(job.notify) : undefined],
      ['version', String(job.version)],
      ['created', bothTimes(job.createdAt, cli)],
      ['updated', bothTimes(job.updatedAt, cli)],
    ],
    cli.width,
  );

const retryText = ({ retry: { maxAttempts, backoffSeconds, maxBackoffSeconds } }: Job): string =>
  `${maxAttempts} attempts, ${backoffSeconds} s apart and doubling up to ${maxBackoffSeconds} s`;

function executionLines(execution: Execution, cli: Cli): string[] {
  const { timeline, latenessMs, durationMs, error, result } = execution;
  return fields(
    [
      ['id', execution.id],
      ['job', execution.jobId],
      ['status', execution.status],
      ['reason', execution.reason],
      ['error', error && `${error.name}: ${error.message}`],
      ['result', result === undefined ? undefined : JSON.stringify(result)],
      ['attempt', `${execution.attempt} of ${execution.maxAttempts}`],
      ['next attempt', bothTimes(execution.nextAttemptAt, cli)],
      ['worker', execution.workerId],
      ['due', bothTimes(execution.dueAt, cli)],
      ['enqueued', sinceDue(timeline.enqueuedAt, execution)],
      ['received', sinceDue(timeline.receivedAt, execution)],
      ['started', sinceDue(timeline.startedAt, execution)],
      ['finished', sinceDue(timeline.finishedAt, execution)],
      ['late', latenessMs === undefined ? undefined : lengthText(latenessMs)],
      ['took', durationMs === undefined ? undefined : lengthText(durationMs)],
    ],
    cli.width,
  );
}

/** What matters in a timeline are the distances. */
function sinceDue(time: string | undefined, { dueAt }: Execution): string | undefined {
  if (time === undefined) return undefined;
  const distance = Date.parse(time) - Date.parse(dueAt);
  return `${time} (due ${distance < 0 ? '−' : '+'} ${lengthText(Math.abs(distance))})`;
}
