// One execution: running, past, or planned.
import { NotFound } from '../domain/errors.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { Principal } from '../domain/principal.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, withOwner } from '../domain/views/views.ts';
import { requireExecution } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import { findUnwritten, holdFor } from './unwritten-executions.ts';

export async function getExecution(context: Context, who: Principal, id: string): Promise<ExecutionView> {
  const { head, due } = await requireExecution(context, who, id);
  const row = await context.store.readRow(head.jobId, due, { consistent: true });
  const found = row ? await withStopping(context, head, row) : await findUnwritten(context, head, due);
  if (!found) throw new NotFound('execution', id);
  return withOwner(who, found, head.userId);
}

/** The cancel of a running execution is requested in its hold. */
async function withStopping(context: Context, head: Head, row: Row): Promise<ExecutionView> {
  const execution = executionOfRow(row);
  if (row.status !== 'RUNNING') return execution;
  const hold = await holdFor(context, head, row.due);
  return hold?.cancelRequested ? { ...execution, stopping: true } : execution;
}
