// The last executions of each job of a list. All reads are eventually consistent: a list shows them, and decides nothing.
import { forEachLimit } from '../concurrency/map-limit.ts';
import { MAX_RECENT, type RecentExecution } from '../domain/views/resource-schemas.ts';
import { executionOfRow, recentExecution } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';
import type { HeadSummary } from '../store/store.ts';

/** Jobs whose rows are read at the same time. */
const PARALLEL_READS = 16;

/** By job id, newest first. Cost per job: 0.5 RRU per 4 KB of rows. */
export async function recentExecutions(
  { store }: Context,
  jobs: readonly HeadSummary[],
): Promise<Map<string, RecentExecution[]>> {
  const recent = new Map<string, RecentExecution[]>();
  await forEachLimit(jobs, PARALLEL_READS, async ({ jobId }) => {
    const { items } = await store.listRows(jobId, {
      ...{ limit: MAX_RECENT, newestFirst: true, consistent: false },
    });
    recent.set(
      jobId,
      items.map((row) => recentExecution(executionOfRow(row))),
    );
  });
  return recent;
}
