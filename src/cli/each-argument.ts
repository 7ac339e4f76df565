// What is done to jobs and executions by name or id: run, pause, resume, cancel, retry, backfill.
import type { Execution, Job, PunctualClient } from '../../client/client.ts';
import { type Cli, defineCommand, EXIT, type Options, UsageError } from '../command.ts';
import { findJobId, isExecutionId } from '../find.ts';
import { objectOf } from '../job-flags.ts';
import { bothTimes, futureOf, instantOf, iso } from '../times.ts';
import { WAIT_FLAGS, waitAndReport } from '../waiting.ts';
import { waitForOperationAndReport } from './operations.ts';

const MANY = Number.POSITIVE_INFINITY;

const NOTE_FLAG = {
  note: { type: 'string', value: '<text>', about: 'why; stands in the record of the change' },
} as const satisfies Options;

export const run = defineCommand({
  name: 'run',
  summary: 'run a job now, also a paused one; its schedule stays as it is',
  usage: '<job> [--params <json>] [--wait]',
  options: {
    params: {
      type: 'string',
      value: '<json>',
      about: "params for this run and its retries, in place of the job's own",
    },
    ...WAIT_FLAGS,
  },
  takes: [1, 1],
  server: 'user',
  examples: [
    ['punctual run hello', 'by name; prints the execution'],
    [`punctual run report --params '{"day":"2026-12-01"}'`, 'with other params, this time only'],
    ['punctual run hello --wait --wait-timeout 1m', 'until it has ended; exit code 1 unless it succeeded'],
  ],
  async run(cli, [which = ''], values) {
    const client = await cli.client();
    const execution = await client.jobs.run(await findJobId(client, which, cli.signal), {
      ...(values.params !== undefined && { params: objectOf(values.params, '--params') }),
      signal: cli.signal,
    });
    if (values.wait) return waitAndReport(cli, execution.id, values);
    cli.out(cli.json ? JSON.stringify(execution) : `${execution.id} is ${execution.status}`);
    return undefined;
  },
});

export const pause = defineCommand({
  name: 'pause',
  summary: 'pause jobs: nothing of them starts until they are resumed',
  usage: '<job>… [--until <time>] [--note <text>]',
  options: {
    until: {
      type: 'string',
      value: '<time>',
      about: 'resume by itself then: ISO 8601, or from now such as 2h',
    },
    ...NOTE_FLAG,
  },
  takes: [1, MANY],
  server: 'user',
  examples: [
    ['punctual pause hello', 'by name'],
    ['punctual pause hello --until 2026-12-01T06:00:00Z', 'resumed by itself'],
    ['punctual pause job_5eNmGz0vbrGJ2hYkQ1Xw', 'by id'],
    [`punctual pause hello --note 'the receiver is being moved'`, 'punctual changes shows the note'],
  ],
  run: (cli, args, { note, until: untilText }) => {
    const until = untilText === undefined ? undefined : iso(futureOf(untilText, cli.now(), '--until'));
    return eachJob(cli, args, (client, id) => client.jobs.pause(id, { note, until, signal: cli.signal }));
  },
});

export const resume = defineCommand({
  name: 'resume',
  summary: 'resume paused jobs from now on',
  usage: '<job>… [--note <text>]',
  options: NOTE_FLAG,
  takes: [1, MANY],
  server: 'user',
  examples: [['punctual resume hello', 'by name']],
  run: (cli, args, { note }) =>
    eachJob(cli, args, (client, id) => client.jobs.resume(id, { note, signal: cli.signal })),
});

export const cancel = defineCommand({
  name: 'cancel',
  summary: 'cancel jobs for good, or single executions; what runs is told to stop',
  usage: '<job or execution>… [--note <text>]',
  options: NOTE_FLAG,
  takes: [1, MANY],
  server: 'user',
  examples: [
    ['punctual cancel hello', 'a job: nothing of it starts again'],
    ['punctual cancel job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000', 'one execution; its job goes on'],
  ],
  notes: ['The note is recorded for jobs; executions have no record of changes.'],
  async run(cli, args, { note }) {
    const client = await cli.client();
    const { signal } = cli;
    return each(cli, args, async (which) => {
      if (isExecutionId(which)) return executionDone(await client.executions.cancel(which, { signal }));
      const id = await findJobId(client, which, signal);
      await client.jobs.cancel(id, { note, signal });
      return { value: { id, status: 'cancelled' }, line: `${id} is cancelled` };
    });
  },
});

export const retry = defineCommand({
  name: 'retry',
  summary: 'run failed, cancelled or skipped executions again, with fresh attempts',
  usage: '<execution>… [--wait]',
  options: WAIT_FLAGS,
  takes: [1, MANY],
  server: 'user',
  examples: [['punctual retry job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000 --wait', 'until it has ended']],
  async run(cli, args, values) {
    const client = await cli.client();
    if (values.wait) {
      const [id = '', ...more] = args;
      if (more.length > 0) throw new UsageError('--wait waits for one execution: give one');
      await client.executions.retry(id, { signal: cli.signal });
      return waitAndReport(cli, id, values);
    }
    return each(cli, args, async (id) =>
      executionDone(await client.executions.retry(id, { signal: cli.signal })),
    );
  },
});

export const backfill = defineCommand({
  name: 'backfill',
  summary: 'run the past occurrences of a range that have no row',
  usage: '<job> --from <time> [--to <time>] [--no-wait]',
  options: {
    from: {
      type: 'string',
      value: '<time>',
      about: 'due at or after: 2026-12-01T10:00:00Z, 2026-12-01, 24h (ago)',
    },
    to: { type: 'string', value: '<time>', about: 'due before; default now' },
    'no-wait': { type: 'boolean', about: 'return when the server has accepted it' },
    'wait-timeout': { type: 'string', value: '<duration>', about: 'wait no longer than this' },
  },
  takes: [1, 1],
  server: 'user',
  notes: [
    'punctual audit shows what is missing.',
    'The server adds the executions in the background. Without --no-wait the command waits until all are added, and its exit code is 1 unless they were. Ctrl-C ends the wait, not the backfill: punctual operations stop does.',
  ],
  examples: [
    ['punctual backfill hello --from 2h', 'what the last two hours lack'],
    ['punctual backfill hello --from 2026-12-01 --no-wait', 'print the id of the operation and return'],
  ],
  async run(cli, [which = ''], { from, to = 'now', ...waiting }) {
    if (waiting['no-wait'] && waiting['wait-timeout'] !== undefined)
      throw new UsageError('--wait-timeout has no effect with --no-wait: give one of them');
    if (from === undefined) throw new UsageError('--from is missing: where does the range begin?');
    const now = cli.now();
    const range = { from: iso(instantOf(from, now, '--from')), to: iso(instantOf(to, now, '--to')) };
    const client = await cli.client();
    const id = await findJobId(client, which, cli.signal);
    const answer = await client.jobs.backfill(id, range, { signal: cli.signal });
    const said = `${answer.planned} occurrences will run: ${answer.operation}`;
    if (waiting['no-wait']) {
      cli.out(cli.json ? JSON.stringify(answer) : said);
      return undefined;
    }
    cli.err(said);
    return waitForOperationAndReport(cli, answer.operation, waiting['wait-timeout']);
  },
});

interface Done {
  readonly value: unknown;
  readonly line: string;
}

const executionDone = (execution: Execution): Done => ({
  value: execution,
  line: `${execution.id} is ${execution.status}`,
});

async function eachJob(
  cli: Cli,
  args: readonly string[],
  act: (client: PunctualClient, id: string) => Promise<Job>,
): Promise<number | undefined> {
  const client = await cli.client();
  return each(cli, args, async (which) => {
    const job = await act(client, await findJobId(client, which, cli.signal));
    const next = job.nextRunAt === undefined ? '' : `; next run ${bothTimes(job.nextRunAt, cli)}`;
    return { value: job, line: `${job.id} is ${job.status}${next}` };
  });
}

/** One that fails does not keep the others from being done. With --json: what was done, one, or a list when several were asked for. */
async function each(
  cli: Cli,
  args: readonly string[],
  act: (which: string) => Promise<Done>,
): Promise<number | undefined> {
  const [only, ...more] = args;
  if (only !== undefined && more.length === 0) {
    const { value, line } = await act(only);
    cli.out(cli.json ? JSON.stringify(value) : line);
    return undefined;
  }
  const done: unknown[] = [];
  let failed = false;
  for (const which of args) {
    try {
      const { value, line } = await act(which);
      done.push(value);
      if (!cli.json) cli.out(line);
    } catch (error) {
      cli.signal.throwIfAborted();
      failed = true;
      cli.err(`punctual: ${which}: ${error instanceof Error ? error.message : error}`);
    }
  }
  if (cli.json) cli.out(JSON.stringify(done));
  return failed ? EXIT.failure : undefined;
}
