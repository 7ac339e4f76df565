// Take: what is written once the hold is ours, up to the start of the run (docs/protocol.md#claim, steps 3 and 5).
import type { Row } from '../../domain/executions/row.ts';
import type { Hold } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { newRow, replaceRow, writeFenced } from '../records/write-row.ts';
import { afterExecution } from '../running/after-execution.ts';
import { type Claim, DROP, RETRY } from './claim-result.ts';
import { type AcquiredHold, confirmStart } from './confirm-start.ts';

/** A row that is RUNNING and free was fenced too late: that attempt never began, and it counts once. */
export const nextAttempt = (row: Row): number => (row.status === 'RUNNING' ? row.attempt : row.attempt + 1);

/**
 * How many attempts of a held execution may have started. A row that is RUNNING with the fence of an earlier holder was seen by
 * this hold's taker, or was fenced after the take: then that attempt did not begin, and the hold does not count it.
 */
export function attemptsBegun(hold: Hold, row: Row | undefined): number {
  if (!row) return hold.attempt;
  const isAnothers = row.status === 'RUNNING' && row.fence !== hold.token;
  return isAnothers ? Math.min(row.attempt, hold.attempt) : row.attempt;
}

/** Puts our token into the open row; refused: somebody was faster at the row, so the hold is let go. */
export async function fence(context: Context, taken: AcquiredHold, seen: Row): Promise<Claim> {
  const row = runningRow(context, taken, seen, nextAttempt(seen));
  return (await writeFenced(context, seen, row))
    ? confirmStart(context, taken, row)
    : release(context, taken);
}

function runningRow({ clock }: Context, taken: AcquiredHold, seen: Row | undefined, attempt: number): Row {
  const { head, message, hold } = taken;
  const {
    nextAttemptAt: _,
    error: __,
    reason: ___,
    finishedAt: ____,
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

/** Never needed for safety; saves others one lease of waiting. */
export async function release(
  { store, random }: Context,
  { head, hold, place }: AcquiredHold,
): Promise<Claim> {
  await store.heartbeat(head.jobId, place, hold.token, 0, random.id(12));
  return RETRY;
}

/**
 * The second write of a takeover, always after the first: that one stops the heartbeat of the old holder, this one
 * refuses its finish. `why`: it is not to run again.
 */
export async function takeOverRow(
  context: Context,
  taken: AcquiredHold,
  seen: Row | undefined,
  attempts: number,
  why: 'cancelled' | 'withdrawn' | undefined,
): Promise<Claim> {
  const maxAttempts = seen?.maxAttempts ?? taken.head.retry.maxAttempts;
  const running = runningRow(context, taken, seen, attempts + 1);
  if (!why && attempts < maxAttempts) {
    return (await writeFenced(context, seen, running))
      ? confirmStart(context, taken, running)
      : release(context, taken);
  }
  const end: Row = why
    ? {
        ...running,
        status: 'CANCELLED',
        attempt: attempts,
        reason: `${why} while its worker was lost`,
        finishedAt: context.clock.now(),
      }
    : {
        ...running,
        status: 'FAILED',
        attempt: attempts,
        error: {
          name: 'WorkerLost',
          message: `the worker of attempt ${attempts} of ${maxAttempts} stopped answering`,
        },
        finishedAt: context.clock.now(),
      };
  if (!(await writeFenced(context, seen, end))) return release(context, taken);
  await afterExecution(context, taken.head, taken.message, end);
  return DROP;
}

/** Ends an open row that nobody holds, on condition of what was seen. An attempt that was fenced too late does not count. */
export async function cancelOpen(context: Context, seen: Row, reason: string): Promise<Claim> {
  const attempt = nextAttempt(seen) - 1;
  const row: Row = { ...seen, status: 'CANCELLED', attempt, reason, finishedAt: context.clock.now() };
  return (await replaceRow(context, seen, row)) ? DROP : RETRY;
}
