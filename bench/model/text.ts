// The report of a run as text.
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import type { Findings, ResourceLoad } from './findings.ts';
import type { Figure } from './parameters.ts';
import type { Lateness } from './simulate.ts';

const count = (n: number): string => Math.round(n).toLocaleString('en-US');
export const dollars = (n: number): string => `$${n < 10 ? n.toFixed(2) : count(n)}`;
export const inTime = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
export const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const table = (rows: readonly (readonly string[])[]): string =>
  rows
    .flatMap((row, i) => {
      const line = `| ${row.join(' | ')} |`;
      return i === 0
        ? [line, `|${row.map((_, column) => (column === 0 ? ' --- ' : ' ---: ')).join('|')}|`]
        : [line];
    })
    .join('\n');

const lateRow = (name: string, { p50, p90, p99, max, notStarted }: Lateness): string[] => [
  name,
  ...[p50, p90, p99, max].map(inTime),
  count(notStarted),
];

const loadRow = ({ resource, load, limit, unit, utilisation, fullAt, raisedBy }: ResourceLoad): string[] => [
  resource,
  `${load < 10 ? load.toFixed(1) : count(load)} of ${count(limit)} ${unit}`,
  percent(utilisation),
  `${count(fullAt)}/s`,
  raisedBy,
];

/** Resources below this utilisation are left out of the report. */
const MIN_REPORTED_UTILISATION = 0.02;

export function reportText(found: Findings): string {
  const { options, lateness, latenessOfOthers, throttled, loads, breaksFirst, monthly } = found;
  const { rate, duration, shards, watchers, queues, workers, groupCommit, tenantShare } = options;
  const whole = Object.values(monthly).reduce((sum, one) => sum + one, 0);
  const first =
    breaksFirst.utilisation >= 1
      ? `Over the limit: ${breaksFirst.resource} (${percent(breaksFirst.utilisation)}).`
      : `First bottleneck: ${breaksFirst.resource}, full at about ${count(breaksFirst.fullAt)} executions/s.`;
  return [
    `${count(rate)} executions/s for ${duration} s: ${shards} shards, ${watchers} watchers, ${queues} queue${queues > 1 ? 's' : ''}, ${workers} workers, group commit ${groupCommit ? 'on' : 'off'}${tenantShare > 0 ? `, one tenant with ${percent(tenantShare)}` : ''}`,
    '',
    table([
      ['lateness', 'p50', 'p90', 'p99', 'max', 'not started'],
      lateRow('all', lateness),
      ...(latenessOfOthers ? [lateRow('other tenants', latenessOfOthers)] : []),
    ]),
    '',
    table([
      ['resource', 'load of the limit', 'used', 'full at', 'raised by'],
      ...loads.filter(({ utilisation }) => utilisation >= MIN_REPORTED_UTILISATION).map(loadRow),
    ]),
    '',
    `${first} Raised by: ${breaksFirst.raisedBy}.`,
    `Throttled requests: ${listed(throttled)}. Retries: ${count(found.retries)}; messages returned to the queue: ${count(found.returned)}.`,
    `CPU of a worker per execution: ${found.cpuMsPerExecution.toFixed(2)} ms, ${found.callsPerRequest.toFixed(1)} calls per request. Workers needed at 70 %: ${found.workersNeeded}.`,
    `A watcher needs ${found.passSeconds.toFixed(1)} s for the entries of a minute. Watchers needed at 70 %: ${found.watchersNeeded}. ${behind(found)}`,
    `Quotas to raise: ${found.quotas.join('; ') || 'none'}.`,
    `Cost per month: DynamoDB on demand ${dollars(monthly.dynamodb)}, SQS ${dollars(monthly.sqs)}, workers ${dollars(monthly.workers)}, watchers ${dollars(monthly.watchers)}: ${dollars(whole)}, ${dollars(found.perMillion)} per million executions.`,
    '',
    'Figures of the model:',
    ...Object.entries(found.figures).map(([name, figure]) => figureLine(name, figure)),
  ].join('\n');
}

const LOOK_AHEAD_SECONDS = DEFAULT_SETTINGS.lookAheadMs / 1000;

function behind({ behindSeconds, passSeconds }: Findings): string {
  if (behindSeconds > 0)
    return `Dispatch falls ${Math.round(behindSeconds)} s behind every minute. After ${Math.ceil(LOOK_AHEAD_SECONDS / behindSeconds)} minutes the look-ahead is used up, and executions are later than this table shows.`;
  return passSeconds > 60 ? 'Overlapping passes keep up together.' : 'The watchers keep up.';
}

const figureLine = (name: string, { value, unit, source }: Figure): string =>
  `  ${name}: ${value.toLocaleString('en-US')} ${unit} (${source})`;

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, n]) => `${name} ${count(n)}`)
    .join(', ') || 'none';
