// The last executions of each job of a list. All reads are eventually consistent: a list shows them, and decides nothing.
import { forEachLimit } from '../concurrency/map-limit.ts';
import { nextSlice } from '../concurrency/request-turns.ts';
import { jsonBytes } from '../domain/jobs/stored-bytes.ts';
import { MAX_RECENT, type RecentExecution } from '../domain/views/resource-schemas.ts';
import { executionOfRow, recentExecution } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';
import type { HeadSummary } from '../store/store.ts';
import { MAX_LOADED_BYTES } from './filtered-page.ts';

/** Jobs whose rows are read at the same time. */
const PARALLEL_READS = 16;

/**
 * By job id, newest first. If the rows are large, it has the first jobs only, at least one. Cost per job: 0.5 RRU per 4 KB of
 * rows.
 */
export async function recentExecutions(
  { store }: Context,
  jobs: readonly HeadSummary[],
): Promise<Map<string, RecentExecution[]>> {
  const recent = new Map<string, RecentExecution[]>();
  let left = MAX_LOADED_BYTES;
  let end = jobs.length;
  await forEachLimit(jobs, PARALLEL_READS, async ({ jobId }, index) => {
    await nextSlice();
    if (left <= 0) end = Math.min(end, index);
    if (index >= end) return;
    const { items } = await store.listRows(jobId, {
      ...{ limit: MAX_RECENT, newestFirst: true, consistent: false },
    });
    left -= jsonBytes(items);
    recent.set(
      jobId,
      items.map((row) => recentExecution(executionOfRow(row))),
    );
  });
  for (const { jobId } of jobs.slice(end)) recent.delete(jobId);
  return recent;
}
