// `punctual logs`: lists the executions of a job, or prints the log lines of an execution. With --follow also the coming ones.

import { type Execution, type ExecutionStatus, hasEnded, type PunctualClient } from '../../client/client.ts';
import { wallClock } from '../../client/clock.ts';
import { withoutControls } from '../../domain/terminal-text.ts';
import { type Cli, defineCommand, UsageError } from '../command.ts';
import { printLog } from '../execution-log.ts';
import { findJobId, isExecutionId } from '../find-job.ts';
import { LIMIT_FLAGS, limitOf, pageSizeFor, printList, takeUpTo } from '../limit.ts';
import { executionTable, whatHappened } from '../resource-tables.ts';
import { lengthText, RANGE_FLAGS, rangeOf } from '../times.ts';

const POLL_MS = 1000;

export const logs = defineCommand({
  name: 'logs',
  summary: 'list the executions of a job, or print the log lines of an execution; --follow prints new ones',
  usage: '<job or execution> [--follow]',
  options: {
    follow: {
      type: 'boolean',
      short: 'f',
      about: 'print changes or new lines until the job or execution ends or Ctrl-C, oldest first',
    },
    status: {
      type: 'string',
      value: '<status>',
      about: 'filter by status: succeeded, failed, running, skipped, scheduled …',
    },
    ...RANGE_FLAGS,
    ...LIMIT_FLAGS,
  },
  takes: [1, 1],
  server: 'user',
  notes: [
    '--follow --json prints one JSON object per line, each time the status of an execution changes.',
    'For an execution, --json prints one JSON object per log line. The filters are for jobs only.',
  ],
  examples: [
    ['punctual logs hello', 'list the last 20 executions'],
    ['punctual logs hello --follow', 'print executions as they change'],
    ['punctual logs hello --status failed --from 24h --json', 'list the failures of the last 24 hours'],
    ['punctual logs hello --status scheduled --limit 3', 'list the next 3 executions'],
    ['punctual logs job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000 -f', 'print what the task of an execution logs'],
  ],
  async run(cli, [idOrName = ''], { follow, status, from, to, ...limits }) {
    if (follow && (to !== undefined || status === 'scheduled')) {
      throw new UsageError(
        '--follow prints executions from now on: it cannot be combined with --to or --status scheduled',
      );
    }
    if (isExecutionId(idOrName)) {
      refuseFilters({ status, from, to, limit: limits.limit, all: limits.all });
      await printLog(cli, await cli.client(), idOrName, follow === true);
      return undefined;
    }
    const now = cli.now();
    const limit = limitOf(limits);
    const client = await cli.client();
    const id = await findJobId(client, idOrName, cli.signal);
    const query = {
      ...(status !== undefined && { status: status as ExecutionStatus }),
      ...rangeOf({ from, to }, now),
      limit: pageSizeFor(limit),
    };
    const list = client.executions.ofJob(id, query, { signal: cli.signal });
    const executions = await takeUpTo(list, limit);
    if (follow) {
      await followJob(cli, client, id, executions.items, query);
      return undefined;
    }
    printList(cli, executions, limit, {
      empty: 'no executions',
      lines: (items) => executionTable(items, cli),
    });
    return undefined;
  },
});

function refuseFilters(filters: Readonly<Record<string, unknown>>): void {
  const [given] = Object.entries(filters).find(([, value]) => value !== undefined) ?? [];
  if (given !== undefined)
    throw new UsageError(
      `--${given} filters the executions of a job; the log of an execution has no filters`,
    );
}

interface Filter {
  readonly status?: ExecutionStatus;
  readonly from?: string;
}

async function followJob(
  cli: Cli,
  client: PunctualClient,
  jobId: string,
  first: readonly Execution[],
  { status, from }: Filter,
): Promise<void> {
  const { signal } = cli;
  const known = new Map<string, Execution>();
  const printIfChanged = (execution: Execution) => {
    const changed = known.get(execution.id)?.status !== execution.status;
    known.set(execution.id, execution);
    if (changed && (status === undefined || execution.status === status)) {
      cli.out(cli.json ? JSON.stringify(execution) : lineOf(execution));
    }
  };
  for (const execution of [...first].reverse()) printIfChanged(execution);
  // Executions before the first printed one are not followed.
  const since = from ?? first.at(-1)?.dueAt;
  if (!cli.json && first.length === 0) cli.err('no executions yet; waiting');
  for (;;) {
    // The job is read before its executions: if it has ended here, the executions read next are complete.
    const job = await client.jobs.get(jobId, { signal });
    const updated: Execution[] = [];
    const query = { limit: 100, ...(since !== undefined && { from: since }) };
    for await (const execution of client.executions.ofJob(jobId, query, { signal })) {
      const before = known.get(execution.id);
      if (before && hasEnded(before)) break;
      updated.push(execution);
    }
    // An older execution may still run after a newer one has ended.
    const listed = new Set(updated.map(({ id }) => id));
    for (const { id } of [...known.values()].filter((one) => !hasEnded(one) && !listed.has(one.id))) {
      updated.push(await client.executions.get(id, { signal }));
    }
    for (const execution of updated.sort((a, b) => (a.id < b.id ? -1 : 1))) printIfChanged(execution);
    const jobEnded = job.status !== 'active' && job.status !== 'paused';
    if (jobEnded && [...known.values()].every(hasEnded)) {
      if (!cli.json) cli.err(`${job.id} is ${job.status}`);
      return;
    }
    await wallClock.sleep(POLL_MS, signal);
  }
}

function lineOf(execution: Execution): string {
  const { latenessMs, durationMs, attempt, maxAttempts } = execution;
  return withoutControls(
    [
      execution.dueAt,
      execution.status.padEnd(9),
      execution.id,
      latenessMs === undefined ? '' : `late ${lengthText(latenessMs)}`,
      durationMs === undefined ? '' : `took ${lengthText(durationMs)}`,
      attempt > 1 ? `attempt ${attempt}/${maxAttempts}` : '',
      whatHappened(execution),
    ]
      .filter((part) => part !== '')
      .join('  '),
  );
}
