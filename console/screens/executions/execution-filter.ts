// The filter of the list of executions: the words of `GET /executions`, and ranges that move with the time.
import type { Execution, Query } from '../../../src/client/types.ts';
import { cliText } from '../../parts/command-text.ts';
import type { Filter, FilterProperty } from '../../parts/filter-tokens.ts';

export type ExecutionsQuery = NonNullable<Query<'listExecutions'>>;

const STATUSES = ['succeeded', 'failed', 'running', 'retrying', 'queued', 'skipped', 'cancelled'];

/** `jobs`: the names to choose from. */
export const executionProperties = (jobs: readonly string[], operator: boolean): FilterProperty[] => [
  { key: 'status', label: 'Status', operator: '=', values: STATUSES },
  { key: 'job', label: 'Job', operator: '=', values: jobs, forFreeText: true },
  { key: 'from', label: 'Due from', operator: '=' },
  { key: 'to', label: 'Due before', operator: '=' },
  { key: 'workerId', label: 'Worker id', operator: '=' },
  ...(operator ? [{ key: 'owner', label: 'Owner', operator: '=' } as const] : []),
];

/** The ranges of the menu. `any` has no begin. */
export const RANGES = {
  any: { title: 'Any time', ms: undefined },
  '1h': { title: 'Last hour', ms: 3_600_000 },
  '24h': { title: 'Last 24 hours', ms: 86_400_000 },
  '7d': { title: 'Last 7 days', ms: 7 * 86_400_000 },
} as const;
export type Range = keyof typeof RANGES;

export const rangeOf = (text: string | null): Range =>
  text !== null && Object.hasOwn(RANGES, text) ? (text as Range) : 'any';

/** A begin in the filter is more exact than the range of the menu, so it wins. */
export function beginOf(filter: Filter, range: Range, now: number): string | undefined {
  if (filter.from !== undefined) return filter.from;
  const { ms } = RANGES[range];
  return ms === undefined ? undefined : new Date(now - ms).toISOString();
}

/** The query of `GET /executions`. The server validates the values, and its answer names the wrong one. */
export function executionsQuery(filter: Filter, range: Range, now: number): ExecutionsQuery {
  const { job: _, from: __, ...rest } = filter;
  const from = beginOf(filter, range, now);
  return {
    ...(rest as Pick<ExecutionsQuery, 'status' | 'to' | 'workerId' | 'owner'>),
    ...(from && { from }),
  };
}

/** The executions of one job have a list of their own. It knows no workers, so the list of a worker is narrowed in the page. */
export const isListOfJob = (filter: Filter): boolean =>
  filter.job !== undefined && filter.workerId === undefined;

/** The id of the job in the filter, which has a name or an id. A name that is not known goes to the server as it is. */
export function jobIdOf(
  { job }: Filter,
  known: readonly { readonly id: string; readonly name?: string | undefined }[],
): string | undefined {
  if (job === undefined) return undefined;
  return (known.find(({ id }) => id === job) ?? known.find(({ name }) => name === job))?.id ?? job;
}

/** The filters that the server does not have: a worker with a job, and a job with an owner. */
export const matchesRest = (filter: Filter, { jobId, owner }: Pick<Execution, 'jobId' | 'owner'>): boolean =>
  (filter.job === undefined || jobId === filter.job) &&
  (filter.owner === undefined || owner === undefined || owner === filter.owner);

/** The list as a request, for curl. */
export function listRequest(filter: Filter, range: Range, now: number) {
  const { owner, ...query } = executionsQuery(filter, range, now);
  if (isListOfJob(filter)) return { path: `/jobs/${filter.job}/executions`, query };
  return { path: '/executions', query: { ...query, owner } };
}

/** The list as a command. The command line takes the ranges of the menu as they are. */
export function listCommand(filter: Filter, range: Range): string {
  const from = filter.from ?? (range === 'any' ? undefined : range);
  const options = [
    ['--status', filter.status],
    ['--from', from],
    ['--to', filter.to],
  ];
  const others = [
    ['--worker', filter.workerId],
    ['--owner', filter.owner],
  ];
  const words = (pairs: (string | undefined)[][]) =>
    pairs.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  if (isListOfJob(filter)) return cliText('logs', filter.job, ...words(options));
  return cliText('executions', ...words([...options, ...others]));
}
