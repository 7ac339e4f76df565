// `punctual workers`: lists the live workers.
import type { Worker } from '../../client/client.ts';
import { type Cli, defineCommand } from '../command.ts';
import { table } from '../table.ts';
import { timeText } from '../times.ts';

const COLUMNS = [
  { title: 'WORKER' },
  { title: 'HOST', flexible: true },
  { title: 'STARTED' },
  { title: 'SEEN' },
  { title: 'RUNS', right: true },
  { title: 'STATE', dropOrder: 1 },
  { title: 'ENDED IN 5 MIN', dropOrder: 2 },
  { title: 'VERSION', dropOrder: 3 },
  { title: 'EXECUTIONS', flexible: true, dropOrder: 4 },
];

const OUTCOMES = ['succeeded', 'failed', 'skipped', 'cancelled'] as const;

export const workers = defineCommand({
  name: 'workers',
  summary: 'list the live workers and their running executions (operators only)',
  usage: '',
  options: {},
  takes: [0, 0],
  server: 'operator',
  notes: ['A remote server needs the token of an operator. For a local server the command makes one.'],
  examples: [['punctual workers', 'list the workers of the local server']],
  async run(cli) {
    const client = await cli.client();
    const all = await client.workers({ signal: cli.signal });
    if (cli.json) cli.out(JSON.stringify(all));
    else if (all.length === 0) cli.err('no live workers');
    else for (const line of workerTable(all, cli)) cli.out(line);
    return undefined;
  },
});

const workerTable = (all: readonly Worker[], cli: Cli): string[] =>
  table(
    COLUMNS,
    all.map((worker) => [
      worker.id,
      worker.host,
      timeText(worker.startedAt, cli),
      timeText(worker.lastSeenAt, cli),
      worker.concurrency === undefined
        ? String(worker.running.length)
        : `${worker.running.length}/${worker.concurrency}`,
      worker.draining ? 'draining' : 'active',
      endedText(worker),
      worker.version,
      worker.running.map(({ id }) => id).join(' '),
    ]),
    cli.width,
  );

/** `12 succeeded, 1 failed`. Empty for a worker of an earlier version. */
function endedText({ recent }: Worker): string {
  if (recent === undefined) return '';
  const counts = OUTCOMES.map((outcome) => ({
    outcome,
    count: recent.reduce((sum, minute) => sum + minute[outcome], 0),
  })).filter(({ count }) => count > 0);
  return counts.length === 0
    ? 'none'
    : counts.map(({ outcome, count }) => `${count.toLocaleString('en')} ${outcome}`).join(', ');
}
