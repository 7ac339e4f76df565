// The last executions of each job of a list. All reads are eventually consistent: a list shows them, and decides nothing.
import { forEachLimit } from '../concurrency/map-limit.ts';
import { nextSlice } from '../concurrency/request-turns.ts';
import type { Head } from '../domain/jobs/job.ts';
import { jsonBytes } from '../domain/jobs/stored-bytes.ts';
import { MAX_RECENT, type RecentExecution } from '../domain/views/resource-schemas.ts';
import { executionOfHold, executionOfRow, recentExecution } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';
import type { HeadSummary } from '../store/store.ts';
import { MAX_LOADED_BYTES } from './filtered-page.ts';
import { isRunning } from './unwritten-executions.ts';

/** Jobs whose rows are read at the same time. */
const PARALLEL_READS = 16;
/**
 * By job id, newest first. If the rows are large, it has the first jobs only, at least one. A first attempt has no row while it runs and comes from the hold in the head. With `overlap: allow` the
 * hold is an item of its own, which is not read. Cost per job: 0.5 RRU for the head, and 0.5 RRU per 4 KB of rows.
 */
export async function recentExecutions(
  context: Context,
  jobs: readonly HeadSummary[],
): Promise<Map<string, RecentExecution[]>> {
  const { store } = context;
  // The heads are read before the rows, so an execution that ends in between has a row.
  const found = await store.readHeads(
    jobs.filter(mayHaveHold).map(({ jobId }) => jobId),
    {
      consistent: false,
    },
  );
  const heads = new Map(found.map((head) => [head.jobId, head]));
  const recent = new Map<string, RecentExecution[]>();
  let left = MAX_LOADED_BYTES;
  let end = jobs.length;
  await forEachLimit(jobs, PARALLEL_READS, async ({ jobId }, index) => {
    await nextSlice();
    if (left <= 0) end = Math.min(end, index);
    if (index >= end) return;
    const { executions, bytes } = await recentOf(context, jobId, heads.get(jobId));
    recent.set(jobId, executions);
    left -= bytes;
  });
  for (const { jobId } of jobs.slice(end)) recent.delete(jobId);
  return recent;
}

/** False if no first attempt of the job can be running. A retry of an ended job has a row. */
const mayHaveHold = ({ status, overlap }: HeadSummary): boolean =>
  overlap !== 'allow' && status !== 'completed' && status !== 'failed';

async function recentOf(
  context: Context,
  jobId: string,
  head: Head | undefined,
): Promise<{ executions: RecentExecution[]; bytes: number }> {
  const { items } = await context.store.listRows(jobId, {
    limit: MAX_RECENT,
    newestFirst: true,
    consistent: false,
  });
  const bytes = jsonBytes(items);
  const executions = items.map((row) => recentExecution(executionOfRow(row)));
  const { hold } = head ?? {};
  if (!head || !hold || !isRunning(context, hold)) return { executions, bytes };
  const index = items.findIndex(({ due }) => due <= hold.due);
  // An execution that is due before all rows of a full page may have a row.
  const isUnwritten = index < 0 ? items.length < MAX_RECENT : items[index]?.due !== hold.due;
  if (!isUnwritten) return { executions, bytes };
  const running = recentExecution(executionOfHold(head, hold));
  const all = executions.toSpliced(index < 0 ? executions.length : index, 0, running);
  return { executions: all.slice(0, MAX_RECENT), bytes };
}
