// The view of an execution with a row. While it runs, its hold has more to show: the cancel request and the progress.
import type { Row } from '../domain/executions/row.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, fieldsOfHold } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';
import { holdFor } from './unwritten-executions.ts';

/** Cost: 1 RRU for a RUNNING row of a job with `overlap: allow`, else nothing. */
export async function viewOfRow(context: Context, head: Head, row: Row): Promise<ExecutionView> {
  const view = executionOfRow(row);
  const hold = row.status === 'RUNNING' ? await holdFor(context, head, row.due) : undefined;
  return hold ? { ...view, ...fieldsOfHold(hold) } : view;
}
