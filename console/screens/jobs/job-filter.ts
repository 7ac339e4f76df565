// The filter of the list of jobs: the words of `GET /jobs`.
import type { BulkChange } from '../../../src/client/types.ts';
import type { JobsQuery } from '../../api/keys.ts';
import { cliText } from '../../parts/command-text.ts';
import type { Filter, FilterProperty } from '../../parts/filter-tokens.ts';

export const jobProperties = (tasks: readonly string[], operator: boolean): FilterProperty[] => [
  { key: 'name', label: 'Name', operator: '^', forFreeText: true },
  {
    key: 'status',
    label: 'Status',
    operator: '=',
    values: ['active', 'paused', 'completed', 'failed', 'cancelled'],
  },
  { key: 'task', label: 'Task', operator: '=', values: tasks },
  { key: 'namespace', label: 'Namespace', operator: '=' },
  { key: 'tag', label: 'Tag', operator: '=' },
  ...(operator ? [{ key: 'owner', label: 'Owner', operator: '=' } as const] : []),
];

/** Jobs per request. */
const PAGE_SIZE = 100;

export const jobsQuery = (filter: Filter): JobsQuery => ({
  // The server validates the values, and its answer names the wrong one.
  ...(filter as Pick<JobsQuery, 'status' | 'task' | 'name' | 'namespace' | 'tag' | 'owner'>),
  include: 'recent',
  limit: PAGE_SIZE,
});

const NARROWING = ['tag', 'name', 'namespace', 'task', 'owner'];

/** The change of all jobs that the filter has. Without a narrowing filter, the API wants `all: true`. */
export function bulkOf(action: BulkChange['action'], filter: Filter, note: string | undefined): BulkChange {
  const narrowed = NARROWING.some((name) => filter[name] !== undefined);
  return {
    action,
    filter: filter as BulkChange['filter'],
    ...(!narrowed && { all: true as const }),
    ...(note !== undefined && { note }),
  };
}

/** The list as a command. A tag is `key=value` on the command line. */
export const listCommand = (filter: Filter): string =>
  cliText(
    'list',
    '--recent',
    ...Object.entries(filter).flatMap(([name, value]) => [
      `--${name}`,
      name === 'tag' ? value.replace(':', '=') : value,
    ]),
  );
