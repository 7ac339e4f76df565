// One execution: running, past, or planned.
import { NotFound } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, withOwner } from '../domain/views/views.ts';
import { requireExecution } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import { findPlanned } from './planned-executions.ts';

export async function getExecution(context: Context, who: Principal, id: string): Promise<ExecutionView> {
  const { head, due } = await requireExecution(context, who, id);
  const row = await context.store.readRow(head.jobId, due, { consistent: true });
  const found = row ? executionOfRow(row) : await findPlanned(context, head, due);
  if (!found) throw new NotFound('execution', id);
  return withOwner(who, found, head.userId);
}
