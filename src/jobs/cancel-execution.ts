// Cancel of one execution in any state: planned, waiting, running or between attempts. It is one conditional write of the row.
import { CONFLICT, REQUEST_RETRY, retryConflicts } from '../concurrency/retry-conflicts.ts';
import { Conflict, NotFound } from '../domain/errors.ts';
import { type DueKey, executionId } from '../domain/executions/ids.ts';
import { isTerminal, type Row } from '../domain/executions/row.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { Principal } from '../domain/principal.ts';
import { awaitStart } from '../scheduling/claiming/await-starts.ts';
import type { Context } from '../scheduling/context.ts';
import { isPlanned } from '../scheduling/planning/plan.ts';
import { newRow, writeRow } from '../scheduling/records/write-row.ts';
import { afterExecution } from '../scheduling/running/after-execution.ts';
import { requireExecution } from './access.ts';

const REASON = 'cancelled by request';

export async function cancelExecution(context: Context, who: Principal, id: string): Promise<void> {
  const { store } = context;
  const done = await retryConflicts(context, REQUEST_RETRY, async () => {
    const { head, due } = await requireExecution(context, who, id);
    const row = await store.readRow(head.jobId, due, { consistent: true });
    if (row && isTerminal(row.status))
      throw new Conflict(`execution ${id} has already ended: it is ${row.status.toLowerCase()}`);
    const cancelled =
      row?.status === 'RUNNING'
        ? await cancelRunning(context, row)
        : await cancelUnstarted(context, head, due, row);
    return cancelled || CONFLICT;
  });
  if (done === CONFLICT) throw new Conflict(`execution ${id} is being changed by other requests; try again`);
}

/** The worker stops the task at its next heartbeat. If the claim has not started yet, it may, until this returns. */
async function cancelRunning(context: Context, row: Row): Promise<boolean> {
  if (!(await context.store.requestCancel(row, row.number))) return false;
  // [rule cancel-waits]
  await awaitStart(context, row);
  return true;
}

async function cancelUnstarted(
  context: Context,
  head: Head,
  due: DueKey,
  seen: Row | undefined,
): Promise<boolean> {
  if (!seen && !(await isPlanned(context, head, due)))
    throw new NotFound('execution', executionId(head.jobId, due));
  const row: Row = {
    ...(seen ?? newRow(head, due, head.revision, 'CANCELLED')),
    status: 'CANCELLED',
    reason: REASON,
    finishedAt: context.clock.now(),
  };
  if (!(await writeRow(context, seen && { status: seen.status, number: seen.number }, row))) return false;
  await afterExecution(context, head, row);
  return true;
}
