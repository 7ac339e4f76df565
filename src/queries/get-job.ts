// One job, with its last execution.
import type { Head } from '../domain/jobs/job.ts';
import type { JobName } from '../domain/jobs/job-name.ts';
import type { Principal } from '../domain/principal.ts';
import type { JobView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, jobView, withOwner } from '../domain/views/views.ts';
import { requireJob } from '../jobs/access.ts';
import { requireNamed } from '../jobs/named/find-named-job.ts';
import type { Context } from '../scheduling/context.ts';
import { findDefinition } from '../scheduling/records/definitions.ts';
import { searchesOf } from '../scheduling/searches.ts';

export async function getJob(context: Context, who: Principal, jobId: string): Promise<JobView> {
  return withLastExecution(context, who, await requireJob(context, who, jobId));
}

/** The caller's job of a name. */
export async function getNamedJob(context: Context, who: Principal, name: JobName): Promise<JobView> {
  return withLastExecution(context, who, await requireNamed(context, who.userId, name));
}

async function withLastExecution(context: Context, who: Principal, head: Head): Promise<JobView> {
  const { store, clock } = context;
  const [definition, { items }] = await Promise.all([
    findDefinition(context, head),
    store.listRows(head.jobId, { limit: 1, newestFirst: true, consistent: true }),
  ]);
  const [row] = items;
  const last = row && executionOfRow(row);
  return withOwner(who, jobView(head, definition, clock.now(), last, searchesOf(context)), head.userId);
}
