// `punctual logs`: what a job has run, and with --follow what it runs from now on.
import { type Execution, type ExecutionStatus, hasEnded, type PunctualClient } from '../../client/client.ts';
import { wallClock } from '../../client/clock.ts';
import { type Cli, defineCommand, UsageError } from '../command.ts';
import { findJobId } from '../find.ts';
import { clean } from '../table.ts';
import { executionTable, whatHappened } from '../tables.ts';
import { instantOf, iso, lengthText } from '../times.ts';
import { limitOf, take, tellMore } from './list.ts';

const POLL_MS = 1000;

export const logs = defineCommand({
  name: 'logs',
  summary: "list a job's executions, newest first; --follow shows them as they happen",
  usage: '<job> [--follow]',
  options: {
    follow: {
      type: 'boolean',
      short: 'f',
      about: 'go on until Ctrl-C, or until the job is over; oldest first',
    },
    status: {
      type: 'string',
      value: '<word>',
      about: 'only these: succeeded, failed, running, skipped, scheduled …',
    },
    from: {
      type: 'string',
      value: '<time>',
      about: 'due at or after: 2026-12-01T10:00:00Z, 2026-12-01, 24h (ago)',
    },
    to: { type: 'string', value: '<time>', about: 'due before' },
    limit: { type: 'string', value: '<n>', about: 'at most so many (default 20)' },
    all: { type: 'boolean', about: 'all of them' },
  },
  takes: [1, 1],
  server: 'user',
  notes: [
    'With --follow --json: one JSON object per line, again whenever the status of an execution changes.',
  ],
  examples: [
    ['punctual logs hello', 'the last 20'],
    ['punctual logs hello --follow', 'as they happen'],
    ['punctual logs hello --status failed --from 24h --json', 'what failed since yesterday'],
    ['punctual logs hello --status scheduled --limit 3', 'what is to come'],
  ],
  async run(cli, [which = ''], { follow, status, from, to, limit, all }) {
    if (follow && (to !== undefined || status === 'scheduled')) {
      throw new UsageError(
        '--follow shows what happens from now on: it goes neither with --to nor with --status scheduled',
      );
    }
    const now = cli.now();
    const most = all ? Number.POSITIVE_INFINITY : limitOf(limit);
    const client = await cli.client();
    const id = await findJobId(client, which, cli.signal);
    const query = {
      ...(status !== undefined && { status: status as ExecutionStatus }),
      ...(from !== undefined && { from: iso(instantOf(from, now, '--from')) }),
      ...(to !== undefined && { to: iso(instantOf(to, now, '--to')) }),
      limit: Math.min(100, most + 1),
    };
    const list = client.executions.ofJob(id, query, { signal: cli.signal });
    const { items, more } = await take(list, most);
    if (follow) {
      await followJob(cli, client, id, items, query);
      return undefined;
    }
    if (cli.json) cli.out(JSON.stringify(items));
    else if (items.length === 0) cli.err('no executions');
    else for (const line of executionTable(items, cli)) cli.out(line);
    if (more) tellMore(cli, most);
    return undefined;
  },
});

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
  const tell = (execution: Execution) => {
    const changed = known.get(execution.id)?.status !== execution.status;
    known.set(execution.id, execution);
    if (changed && (status === undefined || execution.status === status)) {
      cli.out(cli.json ? JSON.stringify(execution) : lineOf(execution));
    }
  };
  for (const execution of [...first].reverse()) tell(execution);
  // what is older than all that was shown is not news
  const since = from ?? first.at(-1)?.dueAt;
  if (!cli.json && first.length === 0) cli.err('no executions yet; waiting');
  for (;;) {
    // asked first: when it is over by now, then so is what is read after
    const job = await client.jobs.get(jobId, { signal });
    const news: Execution[] = [];
    const query = { limit: 100, ...(since !== undefined && { from: since }) };
    for await (const execution of client.executions.ofJob(jobId, query, { signal })) {
      const before = known.get(execution.id);
      if (before && hasEnded(before)) break;
      news.push(execution);
    }
    // an older one may still run behind a newer one that has ended
    const listed = new Set(news.map(({ id }) => id));
    for (const { id } of [...known.values()].filter((one) => !hasEnded(one) && !listed.has(one.id))) {
      news.push(await client.executions.get(id, { signal }));
    }
    for (const execution of news.sort((a, b) => (a.id < b.id ? -1 : 1))) tell(execution);
    const over = job.status !== 'active' && job.status !== 'paused';
    if (over && [...known.values()].every(hasEnded)) {
      if (!cli.json) cli.err(`${job.id} is ${job.status}`);
      return;
    }
    await wallClock.sleep(POLL_MS, signal);
  }
}

function lineOf(execution: Execution): string {
  const { latenessMs, durationMs, attempt, maxAttempts } = execution;
  return clean(
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
