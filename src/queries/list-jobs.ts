// A user's jobs, newest first, with filters.
import { inSlices } from '../concurrency/request-turns.ts';
import { type JobFilter, matchesFilter } from '../domain/jobs/job-filter.ts';
import { bytesOfJob, jsonBytes } from '../domain/jobs/stored-bytes.ts';
import type { Principal } from '../domain/principal.ts';
import type { JobSummaryView, JobView } from '../domain/views/resource-schemas.ts';
import { jobSummary, jobView, withOwner } from '../domain/views/views.ts';
import { requireOwner } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import { definitionsOf } from '../scheduling/records/definitions.ts';
import { searchesOf } from '../scheduling/searches.ts';
import { headCursor } from '../store/cursors.ts';
import type { HeadSummary } from '../store/store.ts';
import { filteredPage, type Listed } from './filtered-page.ts';
import { recentExecutions } from './recent-executions.ts';

export interface JobsQuery extends JobFilter {
  /** The user whose jobs are listed. Default: the caller. */
  readonly owner?: string;
  /** A summary has no `params` and no `notify`. It needs no read of definitions. */
  readonly view?: 'full' | 'summary';
  /** Adds the last executions of each job. */
  readonly include?: 'recent';
  readonly limit: number;
  readonly cursor?: string;
}

export async function listJobs(
  context: Context,
  who: Principal,
  query: JobsQuery,
): Promise<Listed<JobView | JobSummaryView>> {
  const { store, clock } = context;
  const owner = requireOwner(who, query.owner);
  const now = clock.now();
  const searches = searchesOf(context);
  const isSummary = query.view === 'summary';
  const page = await filteredPage<HeadSummary>(query, {
    read: (limit, cursor) => store.listHeads(owner, { limit, cursor }),
    matches: (head) => matchesFilter(head, query, now, searches),
    cursorOf: headCursor,
    // known before the definitions are read
    bytesOf: (head) => jsonBytes(head) + (isSummary ? 0 : bytesOfJob(head)[0]),
  });
  const recent = query.include === 'recent' ? await recentExecutions(context, page.items) : undefined;
  const items = recent ? page.items.filter(({ jobId }) => recent.has(jobId)) : page.items;
  const last = items.at(-1);
  const nextCursor = last && items.length < page.items.length ? headCursor(last) : page.nextCursor;
  const viewOf = isSummary
    ? (head: HeadSummary) => jobSummary(head, now, searches)
    : await fullViews(context, items, now);
  const withRecent = (head: HeadSummary): JobView | JobSummaryView => ({
    ...viewOf(head),
    ...(recent && { recent: recent.get(head.jobId) ?? [] }),
  });
  return { items: await inSlices(items, (head) => withOwner(who, withRecent(head), owner)), nextCursor };
}

async function fullViews(context: Context, heads: readonly HeadSummary[], now: number) {
  const definitions = await definitionsOf(context, heads);
  const searches = searchesOf(context);
  return (head: HeadSummary): JobView => jobView(head, definitions.get(head.jobId), now, undefined, searches);
}
