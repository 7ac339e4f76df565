// `punctual show`: shows one job or one execution.
import type { Execution, Job } from '../../client/client.ts';
import { type Cli, defineCommand } from '../command.ts';
import { findJobId, isExecutionId } from '../find-job.ts';
import { executionTable, scheduleText, searchingText } from '../resource-tables.ts';
import { fields } from '../table.ts';
import { bothTimes, lengthText } from '../times.ts';

/** The number of executions shown with a job. */
const RECENT_EXECUTIONS = 5;

export const show = defineCommand({
  name: 'show',
  summary: 'show a job with its last executions, or an execution with its timeline',
  usage: '<job or execution>',
  options: {},
  takes: [1, 1],
  server: 'user',
  notes: [
    'A job is given by its id or its name.',
    '--json prints the job or the execution as the API returns it.',
  ],
  examples: [
    ['punctual show hello', 'show a job by its name'],
    ['punctual show job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000', 'show an execution'],
  ],
  async run(cli, [idOrName = '']) {
    const client = await cli.client();
    const { signal } = cli;
    if (isExecutionId(idOrName)) {
      const execution = await client.executions.get(idOrName, { signal });
      print(cli, execution, executionLines(execution, cli));
      return undefined;
    }
    const job = await client.jobs.get(await findJobId(client, idOrName, signal), { signal });
    if (cli.json) {
      cli.out(JSON.stringify(job));
      return undefined;
    }
    const { items } = await client.executions.ofJob(job.id, { limit: RECENT_EXECUTIONS }, { signal }).page();
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
      ['owner', job.owner],
      ['status', job.status],
      ['paused until', bothTimes(job.pausedUntil, cli)],
      ['schedule', scheduleText(job)],
      ['next run', searchingText(job, cli) ?? bothTimes(job.nextRunAt, cli)],
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
      ['misfire', `${job.misfire.policy}, if later than ${job.misfire.graceSeconds} s`],
      ['limit', job.limit && `${job.limit.concurrent} at once with key ${job.limit.key}`],
      ['notify', job.notify.length > 0 ? JSON.stringify(job.notify) : undefined],
      ['version', String(job.version)],
      ['created', bothTimes(job.createdAt, cli)],
      ['updated', bothTimes(job.updatedAt, cli)],
    ],
    cli.width,
  );

const retryText = ({ retry: { maxAttempts, backoffSeconds, maxBackoffSeconds } }: Job): string =>
  `${maxAttempts} attempts, backoff ${backoffSeconds} s doubling up to ${maxBackoffSeconds} s`;

function executionLines(execution: Execution, cli: Cli): string[] {
  const { timeline, latenessMs, durationMs, error, result } = execution;
  return fields(
    [
      ['id', execution.id],
      ['job', execution.jobId],
      ['owner', execution.owner],
      ['status', statusText(execution)],
      ['progress', progressText(execution, cli)],
      ['reason', execution.reason],
      ['error', error && `${error.name}: ${error.message}`],
      ['result', result === undefined ? undefined : JSON.stringify(result)],
      ['params', execution.params && JSON.stringify(execution.params)],
      ['trigger', execution.trigger],
      ['attempt', `${execution.attempt} of ${execution.maxAttempts}`],
      ...attemptLines(execution),
      ['next attempt', bothTimes(execution.nextAttemptAt, cli)],
      ['worker', execution.workerId],
      ['due', bothTimes(execution.dueAt, cli)],
      ['fires', execution.fireAt === execution.dueAt ? undefined : sinceDue(execution.fireAt, execution)],
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

const statusText = ({ status, stopping, dismissed }: Execution): string =>
  [status, stopping && 'stopping', dismissed && 'dismissed'].filter(Boolean).join(', ');

function progressText({ progress }: Execution, cli: Cli): string | undefined {
  if (!progress) return undefined;
  const { fraction, text, at } = progress;
  return [`${Math.round(fraction * 1000) / 10} %`, text, bothTimes(at, cli)].filter(Boolean).join(', ');
}

/** One line per attempt, if there was more than one. */
function attemptLines({ attempts = [] }: Execution): [string, string][] {
  if (attempts.length < 2) return [];
  return attempts.map(({ attempt, workerId, startedAt, finishedAt, error }) => {
    const took =
      finishedAt === undefined
        ? 'running'
        : `took ${lengthText(Date.parse(finishedAt) - Date.parse(startedAt))}`;
    const end = error ? `${took}, ${error.name}: ${error.message}` : took;
    return [`attempt ${attempt}`, `${startedAt} on ${workerId}, ${end}`];
  });
}

/** A time of the timeline with its distance from the due time. */
function sinceDue(time: string | undefined, { dueAt }: Execution): string | undefined {
  if (time === undefined) return undefined;
  const distance = Date.parse(time) - Date.parse(dueAt);
  return `${time} (due ${distance < 0 ? '−' : '+'} ${lengthText(Math.abs(distance))})`;
}
