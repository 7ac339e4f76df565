// Cancel of one execution in any state: planned, waiting, running or between attempts (docs/protocol.md#withdraw).
import { CONFLICT, REQUEST_RETRY, retryConflicts } from '../concurrency/retry-conflicts.ts';
import { Conflict, NotFound } from '../domain/errors.ts';
import { type DueKey, executionId } from '../domain/executions/ids.ts';
import { isTerminal, type Row } from '../domain/executions/row.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { Principal } from '../domain/principal.ts';
import { awaitHoldStart } from '../scheduling/claiming/change-returns.ts';
import { newHold } from '../scheduling/claiming/holds.ts';
import { requestCancel } from '../scheduling/claiming/request-cancel.ts';
import type { Context } from '../scheduling/context.ts';
import { isPlanned } from '../scheduling/planning/plan.ts';
import { recordDecision } from '../scheduling/records/record-decision.ts';
import { writeHead } from '../scheduling/records/write-head.ts';
import { insertRow, newRow, replaceRow } from '../scheduling/records/write-row.ts';
import { afterExecution, completeOneTimeJob } from '../scheduling/running/after-execution.ts';
import { requireExecution } from './access.ts';

const REASON = 'cancelled by request';

export async function cancelExecution(context: Context, who: Principal, id: string): Promise<void> {
  const done = await retryConflicts(context, REQUEST_RETRY, async () => {
    const { head, due } = await requireExecution(context, who, id);
    const row = await context.store.readRow(head.jobId, due, { consistent: true });
    if (row && isTerminal(row.status))
      throw new Conflict(`execution ${id} has already ended: it is ${row.status.toLowerCase()}`);
    const cancelled =
      row && row.status !== 'RUNNING'
        ? await cancelRow(context, head, row)
        : await cancelUnrecorded(context, head, due, row);
    return cancelled || CONFLICT;
  });
  if (done === CONFLICT) throw new Conflict(`execution ${id} is being changed by other requests; try again`);
}

/**
 * For QUEUED, WAITING and RETRYING the row decides. The fence stays, because it shows the next claim that the holder has let
 * go.
 */
async function cancelRow(context: Context, head: Head, seen: Row): Promise<boolean> {
  const row: Row = { ...seen, status: 'CANCELLED', reason: REASON, finishedAt: context.clock.now() };
  if (!(await replaceRow(context, seen, row))) return false;
  if (head.overlap === 'allow') await requestCancel(context, head.jobId, seen.due);
  const { jobId, due, revision } = row;
  // the execution may have held the job between attempts, and others may wait for it
  await afterExecution(context, head, { jobId, due, revision, fireAt: 0, enqueuedAt: 0 }, row);
  return true;
}

/** Without a row, or for RUNNING, the head or the hold item decides. */
async function cancelUnrecorded(
  context: Context,
  head: Head,
  due: DueKey,
  row: Row | undefined,
): Promise<boolean> {
  const { store, random } = context;
  const concurrent = head.overlap === 'allow' ? await requestCancel(context, head.jobId, due) : undefined;
  if (concurrent) {
    await awaitHoldStart(context, head.jobId, concurrent);
    return true;
  }
  if (head.hold?.due === due) {
    const hold = { ...head.hold, cancelRequested: true };
    if (!head.hold.cancelRequested && !(await writeHead(context, head, { hold, stamp: random.id(12) })))
      return false;
    await awaitHoldStart(context, head.jobId, hold);
    return true;
  }
  if (row) return false; // a later claim opened the row after the head was read: the next round reads its hold
  if (head.note?.due === due) return false; // another decision is recorded, and its row follows
  if (!(await isPlanned(context, head, due))) throw new NotFound('execution', executionId(head.jobId, due));
  if (head.overlap === 'allow') return cancelConcurrent(context, head, due);
  if (
    !(await recordDecision(context, head, {
      due,
      status: 'CANCELLED',
      reason: REASON,
      revision: head.revision,
    }))
  )
    return false;
  const now = await store.readHead(head.jobId, { consistent: true });
  const recorded = await store.readRow(head.jobId, due, { consistent: true });
  if (recorded?.once) await completeOneTimeJob(context, now, head.revision, 'CANCELLED');
  return true;
}

/**
 * For `overlap: allow`. A worker that claims the occurrence does not write the head, so a note would not stop it. The decision
 * is a hold item, inserted if absent. If this process dies before the row is written, the takeover of the hold writes it.
 */
async function cancelConcurrent(context: Context, head: Head, due: DueKey): Promise<boolean> {
  const { store, clock } = context;
  const { jobId, revision } = head;
  const now = clock.now();
  const message = { jobId, due, revision, fireAt: now, enqueuedAt: now };
  const hold = { ...newHold(context, message, 'cancel', undefined, 0), cancelRequested: true };
  if (!(await store.insertHoldItem({ jobId, due, hold, stamp: hold.token }))) return false;
  const row: Row = {
    ...newRow(head, due, revision, 'CANCELLED'),
    fence: hold.token,
    reason: REASON,
    finishedAt: now,
  };
  if (!(await insertRow(context, row))) {
    await store.removeHoldItem(jobId, due, hold.token);
    return false;
  }
  if (row.once) await completeOneTimeJob(context, head, revision, 'CANCELLED');
  return true;
}
