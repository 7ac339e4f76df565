// The filter of jobs, for lists and for bulk operations.
import type { SearchBudget } from '../schedule/search-budget.ts';
import type { JobStatus } from '../views/resource-schemas.ts';
import { jobStatus, type VisibleHead } from '../views/views.ts';

export interface JobFilter {
  readonly status?: JobStatus;
  readonly task?: string;
  /** A prefix of the job's name. */
  readonly name?: string;
  readonly namespace?: string;
  readonly tag?: { readonly key: string; readonly value: string };
}

export const matchesFilter = (
  head: VisibleHead,
  filter: JobFilter,
  now: number,
  searches: SearchBudget,
): boolean =>
  (!filter.task || head.task === filter.task) &&
  (!filter.name || (head.name ?? '').startsWith(filter.name)) &&
  (!filter.namespace || head.namespace === filter.namespace) &&
  (!filter.tag || head.tags[filter.tag.key] === filter.tag.value) &&
  // last, because it may compute an occurrence
  (!filter.status || jobStatus(head, now, searches) === filter.status);
