// A bulk change: pause, resume or cancel of all jobs of one owner that match a filter.
import type { SearchBudget } from '../schedule/search-budget.ts';
import type { JobStatus } from '../views/resource-schemas.ts';
import { isPaused, jobStatus, type VisibleHead } from '../views/views.ts';
import { type JobFilter, matchesFilter } from './job-filter.ts';

export const BULK_ACTIONS = ['pause', 'resume', 'cancel'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The statuses that each action can change, for the filter `status`. */
export const CHANGEABLE: Readonly<Record<BulkAction, readonly JobStatus[]>> = {
  pause: ['active', 'paused'],
  resume: ['paused'],
  cancel: ['active', 'paused', 'completed', 'failed'],
};

/** The statuses that each action selects without a filter `status`. */
const SELECTED: Readonly<Record<BulkAction, readonly JobStatus[]>> = {
  pause: ['active'],
  resume: ['paused'],
  cancel: ['active', 'paused'],
};

export interface BulkParams {
  readonly action: BulkAction;
  /** The user who owns the jobs. */
  readonly owner: string;
  readonly filter: JobFilter;
  /** The time of the request. Jobs that were created later are not selected. */
  readonly requestedAt: number;
  readonly note?: string;
  /** The end of the pause. Only with the action `pause`. */
  readonly until?: number;
}

/**
 * True if the job matches the filter and the action changes it. Without a filter `status`, a pause also selects jobs whose
 * pause would end earlier. It leaves jobs alone that are paused without an end, because `until` would resume them.
 */
export function isSelected(
  head: VisibleHead,
  params: BulkParams,
  now: number,
  searches: SearchBudget,
): boolean {
  const { action, filter, until = Number.POSITIVE_INFINITY, requestedAt } = params;
  if (head.createdAt > requestedAt || !matchesFilter(head, filter, now, searches)) return false;
  if (filter.status !== undefined || SELECTED[action].includes(jobStatus(head, now, searches))) return true;
  return (
    action === 'pause' && head.status === 'active' && isPaused(head, now) && (head.pausedUntil ?? 0) < until
  );
}
