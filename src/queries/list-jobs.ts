// A user's jobs, newest first, with filters.
import { type JobFilter, matchesFilter } from '../domain/jobs/job-filter.ts';
import type { Principal } from '../domain/principal.ts';
import type { JobView } from '../domain/views/resource-schemas.ts';
import { jobView, withOwner } from '../domain/views/views.ts';
import { requireOwner } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import { definitionsOf } from '../scheduling/records/definitions.ts';
import { headCursor } from '../store/cursors.ts';
import type { HeadSummary } from '../store/store.ts';
import { filteredPage, type Listed } from './filtered-page.ts';

export interface JobsQuery extends JobFilter {
  /** The user whose jobs are listed. Default: the caller. */
  readonly owner?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export async function listJobs(context: Context, who: Principal, query: JobsQuery): Promise<Listed<JobView>> {
  const { store, clock } = context;
  const owner = requireOwner(who, query.owner);
  const now = clock.now();
  const matches = (head: HeadSummary): boolean => matchesFilter(head, query, now);
  const { items, nextCursor } = await filteredPage(query, matches, headCursor, (limit, cursor) =>
    store.listHeads(owner, { limit, cursor }),
  );
  const definitions = await definitionsOf(context, items);
  const viewOf = (head: HeadSummary) => jobView(head, definitions.get(head.jobId), now);
  return { items: items.map((head) => withOwner(who, viewOf(head), owner)), nextCursor };
}
