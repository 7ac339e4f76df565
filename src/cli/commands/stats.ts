// `punctual stats`: the counts and the lateness of executions, of the whole server or of one user.
import type { ExecutionSummary, Statistics } from '../../client/client.ts';
import { type Cli, defineCommand, UsageError } from '../command.ts';
import { OWNER_FLAG } from '../limit.ts';
import { fields, table } from '../table.ts';
import { lengthText, RANGE_FLAGS, rangeOf, timeText } from '../times.ts';

const BUCKETS = { '1m': 'PT1M', '5m': 'PT5M', '15m': 'PT15M', '1h': 'PT1H', '1d': 'P1D' } as const;
type BucketFlag = keyof typeof BUCKETS;

export const stats = defineCommand({
  name: 'stats',
  summary:
    'show the counts and the lateness of executions over time (operators only), or of your own with --mine',
  usage: '[--from <time>] [--bucket <length>] [--mine]',
  options: {
    from: {
      ...RANGE_FLAGS.from,
      about: 'start of the range: 2026-12-01T10:00:00Z, 2026-12-01, or 24h (ago)',
    },
    to: { ...RANGE_FLAGS.to, about: 'end of the range; default: now' },
    bucket: {
      type: 'string',
      value: '<length>',
      about: `length of a line: ${Object.keys(BUCKETS).join(', ')}`,
    },
    mine: { type: 'boolean', about: 'summarize your own executions of the range, default 24h' },
    ...OWNER_FLAG,
  },
  takes: [0, 0],
  server: 'operator',
  notes: [
    'A remote server needs the token of an operator, unless --mine is given. For a local server the command makes one.',
    'A local server counts since its start. On AWS the numbers are those of CloudWatch.',
  ],
  examples: [
    ['punctual stats', 'show the last hour by minute'],
    ['punctual stats --from 24h --bucket 1h', 'show the last day by hour'],
    ['punctual stats --mine --from 1h', 'summarize your executions of the last hour'],
  ],
  async run(cli, _args, { from, to, bucket, mine, owner }) {
    const range = rangeOf({ from, to }, cli.now());
    const isSummary = mine === true || owner !== undefined;
    if (isSummary && bucket !== undefined)
      throw new UsageError(
        '--bucket divides the statistics of the server; --mine and --owner have one summary',
      );
    if (bucket !== undefined && !(bucket in BUCKETS))
      throw new UsageError(
        `--bucket must be one of ${Object.keys(BUCKETS).join(', ')}, got ${JSON.stringify(bucket)}`,
      );
    const client = await cli.client();
    const { signal } = cli;
    if (isSummary) {
      const query = { ...range, ...(owner !== undefined && { owner }) };
      const summary = await client.executions.summary(query, { signal });
      print(cli, summary, summaryLines(summary, cli));
      return undefined;
    }
    const query = { ...range, ...(bucket !== undefined && { bucket: BUCKETS[bucket as BucketFlag] }) };
    const found = await client.stats(query, { signal });
    print(cli, found, bucketLines(found, cli));
    return undefined;
  },
});

function print(cli: Cli, value: unknown, lines: readonly string[]): void {
  for (const line of cli.json ? [JSON.stringify(value)] : lines) cli.out(line);
}

const right = (title: string) => ({ title, right: true });
const COLUMNS = [
  { title: 'FROM' },
  ...['STARTED', 'SUCCEEDED', 'FAILED', 'RETRIED', 'SKIPPED', 'CANCELLED', 'RUNNING', 'P50', 'P99'].map(
    right,
  ),
];

function bucketLines({ items, since }: Statistics, cli: Cli): string[] {
  const rows = items.map((one) => [
    timeText(one.at, cli),
    ...[one.started, one.succeeded, one.failed, one.retried, one.skipped, one.cancelled].map(String),
    one.running === undefined ? '' : String(one.running),
    lateness(one.latenessMs?.p50),
    lateness(one.latenessMs?.p99),
  ]);
  return [...table(COLUMNS, rows, cli.width), '', `counted since ${since}`];
}

function summaryLines(summary: ExecutionSummary, cli: Cli): string[] {
  const { counts, latenessMs, worst, lookedAt, truncated } = summary;
  const executions = truncated ? `${lookedAt} newest; there are more` : String(lookedAt);
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  const lines = fields(
    [
      ['range', `${summary.from} to ${summary.to}`],
      ['executions', executions],
      ...shown.map(([status, count]) => [status, String(count)] as [string, string]),
      ['late p50', latenessMs && lateness(latenessMs.p50)],
      ['late p99', latenessMs && lateness(latenessMs.p99)],
    ],
    cli.width,
  );
  if (worst.length === 0) return lines;
  const columns = [{ title: 'DUE' }, { title: 'STATUS' }, right('LATE'), { title: 'EXECUTION' }];
  const rows = worst.map((one) => [timeText(one.dueAt, cli), one.status, lateness(one.latenessMs), one.id]);
  return [...lines, '', ...table(columns, rows, cli.width)];
}

const lateness = (ms: number | undefined): string => (ms === undefined ? '' : lengthText(ms));
