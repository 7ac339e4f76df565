// Fencing: the write of the row between the claim of the head and the start (docs/protocol.md#claim, steps 3 and 5).
import { lostAttempt, withAttempt } from '../../domain/executions/attempts.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { Head, Hold } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { newRow, replaceRow, writeFenced } from '../records/write-row.ts';
import { afterExecution } from '../running/after-execution.ts';
import { type Claim, DROP, RETRY } from './claim-result.ts';
import { type AcquiredHold, confirmStart, dropSlot } from './confirm-start.ts';

/** The number of the next attempt. A RUNNING row of a free job was fenced too late, so its attempt has not begun. */
export const nextAttempt = (row: Row): number => (row.status === 'RUNNING' ? row.attempt : row.attempt + 1);

/**
 * The number of attempts of a held execution that may have started. A RUNNING row may have the fence of an earlier holder. If
 * it was fenced after this hold was claimed, its attempt did not begin, and the hold does not count it.
 */
export function attemptsBegun(hold: Hold, row: Row | undefined): number {
  if (!row) return hold.attempt;
  const hasOtherFence = row.status === 'RUNNING' && row.fence !== hold.token;
  return hasOtherFence ? Math.min(row.attempt, hold.attempt) : row.attempt;
}

/** Writes the hold's token into the open row. If another process was faster at the row, the hold is released. */
export async function fence(context: Context, acquired: AcquiredHold, seen: Row): Promise<Claim> {
  const row = runningRow(context, acquired, seen, nextAttempt(seen));
  return (await writeFenced(context, seen, row))
    ? confirmStart(context, acquired, row)
    : release(context, acquired);
}

function runningRow({ clock }: Context, acquired: AcquiredHold, seen: Row | undefined, attempt: number): Row {
  const { head, message, hold } = acquired;
  const {
    nextAttemptAt: _,
    error: __,
    reason: ___,
    finishedAt: ____,
    receivedAt: _____,
    ...kept
  } = seen ?? newRow(head, message.due, message.revision, 'RUNNING');
  return {
    ...kept,
    status: 'RUNNING',
    fence: hold.token,
    attempt,
    workerId: hold.workerId,
    enqueuedAt: kept.enqueuedAt ?? message.enqueuedAt,
    startedAt: clock.now(),
  };
}

/** Ends the lease now. Safety does not need it, but other workers need not wait for the end of the lease. */
export async function release(
  context: Context,
  { head, hold, place, slot }: AcquiredHold,
  leaseUntil = 0,
): Promise<Claim> {
  await context.store.heartbeat(head.jobId, place, hold.token, leaseUntil, context.random.id(12));
  await dropSlot(context, slot);
  return RETRY;
}

/** Whether an execution has an attempt left. */
export const mayRunAgain = (head: Head, row: Row | undefined, attempts: number): boolean =>
  attempts < (row?.maxAttempts ?? head.retry.maxAttempts);

/**
 * The second write of a takeover, after the head. The first one stops the heartbeat of the old holder, this one refuses its
 * finish. `old` is the hold that is taken over. `endedBy` is undefined if the execution may run again.
 */
export async function takeOverRow(
  context: Context,
  acquired: AcquiredHold,
  { old, row: seen }: { readonly old: Hold; readonly row: Row | undefined },
  attempts: number,
  endedBy: 'cancelled' | 'withdrawn' | undefined,
): Promise<Claim> {
  const lost = lostAttempt(old, seen, attempts, context.clock.now());
  const running = {
    ...runningRow(context, acquired, seen, attempts + 1),
    ...(lost && withAttempt(seen, lost)),
  };
  if (!endedBy && mayRunAgain(acquired.head, seen, attempts)) {
    return (await writeFenced(context, seen, running))
      ? confirmStart(context, acquired, running)
      : release(context, acquired);
  }
  const end: Row = endedBy
    ? {
        ...running,
        status: 'CANCELLED',
        attempt: attempts,
        reason: `${endedBy} while its worker was lost`,
        finishedAt: context.clock.now(),
      }
    : {
        ...running,
        status: 'FAILED',
        attempt: attempts,
        error: {
          name: 'WorkerLost',
          message: `the worker of attempt ${attempts} of ${running.maxAttempts} stopped answering`,
        },
        finishedAt: context.clock.now(),
      };
  if (!(await writeFenced(context, seen, end))) return release(context, acquired);
  await afterExecution(context, acquired.head, acquired.message, end);
  return DROP;
}

/** Cancels an open row of a free job, on condition of what was read. An attempt that was fenced too late does not count. */
export async function cancelOpen(context: Context, seen: Row, reason: string): Promise<Claim> {
  const attempt = nextAttempt(seen) - 1;
  const row: Row = { ...seen, status: 'CANCELLED', attempt, reason, finishedAt: context.clock.now() };
  return (await replaceRow(context, seen, row)) ? DROP : RETRY;
}
