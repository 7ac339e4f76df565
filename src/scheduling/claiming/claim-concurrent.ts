// Claim with `overlap: allow`: each execution has a hold item of its own and the head is not written. The hold is inserted
// first, then head and row are read consistently, and the run starts soon after the insert was sent or looks again (start.ts). A
// change writes the head first and returns later than that, so no change that has returned is overlooked (docs/decisions/0029).

import { isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import type { Definition, Head, Hold, HoldItem } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { confirmWrite } from '../records/confirm-write.ts';
import { definitionInForce } from '../records/definitions.ts';
import { laterDue } from '../records/record-decision.ts';
import { writeHead } from '../records/write-head.ts';
import { recordDecisionRow } from '../records/write-row.ts';
import { type Claim, DROP, RETRY } from './claim-result.ts';
import { type AcquiredHold, confirmStart, firstClaimWithdrawnBy, isLeased } from './confirm-start.ts';
import { attemptsBegun, cancelOpen, fence, release, takeOverRow } from './fencing.ts';
import { hasLetGo, isOver, newHold } from './holds.ts';
import { isCoverAhead, misfireOf, skipLate } from './misfire.ts';
import { isCurrent, isPlannedAgain } from './occurrence-validity.ts';

export async function claimConcurrent(
  context: Context,
  workerId: string,
  message: Message,
  stale: Head,
  ahead: Definition | undefined,
): Promise<Claim> {
  const { store, clock } = context;
  const { jobId, due } = message;
  const item = await store.readHoldItem(jobId, due);
  if (item) return claimHeld(context, workerId, message, item, ahead);

  // spares a dead message the insert; the answer that counts is read after it
  if (!isCurrent(stale, message) && !isManual(message)) {
    const head = await store.readHead(jobId, { consistent: true });
    if (!head || (!isCurrent(head, message) && head.note?.due !== due)) {
      const row = await store.readRow(jobId, due, { consistent: true });
      return row?.status === 'WAITING'
        ? cancelOpen(context, row, 'the job was withdrawn while this waited')
        : DROP;
    }
  }
  const definition = await definitionInForce(context, stale, ahead);
  const before = clock.monotonic();
  const hold = newHold(context, message, workerId, undefined, 1);
  if (!(await insertHold(context, jobId, hold))) return RETRY;
  const [head, row] = await Promise.all([
    store.readHead(jobId, { consistent: true }),
    store.readRow(jobId, due, { consistent: true }),
  ]);
  const next = head ? await reasonToStop(context, message, head, row) : DROP;
  if (!head || typeof next === 'object') {
    // a cancel that was asked of this hold meanwhile has returned, and must not go with it
    const removed = await store.removeHoldItem(jobId, due, hold.token);
    return removed && typeof next === 'object' ? next : RETRY;
  }
  // somebody has taken over while we were slow: what is RUNNING has another's fence, and that is not ours to write over
  if (row?.status === 'RUNNING') return RETRY;
  const withdrawnBy = !row || row.status === 'WAITING' ? firstClaimWithdrawnBy(message) : 'none';
  const taken: AcquiredHold = {
    ...{ head, message, hold, place: { due }, before, definition, withdrawnBy },
    covers: next === 'covers',
  };
  // by now it may have been taken over, ended, and reopened by /retry: that is not ours to fence
  if (!isLeased(context, taken)) return RETRY;
  return row ? fence(context, taken, row) : confirmStart(context, taken, undefined);
}

const insertHold = ({ store }: Context, jobId: string, hold: Hold): Promise<boolean> =>
  confirmWrite(
    () => store.insertHoldItem({ jobId, due: hold.due, hold, stamp: hold.token }),
    async () => (await store.readHoldItem(jobId, hold.due))?.hold.token === hold.token,
  );

/** After the hold was inserted: whatever ends this claim without a run, or how it goes on. `covers`: for all that were missed. */
async function reasonToStop(
  context: Context,
  message: Message,
  head: Head,
  row: Row | undefined,
): Promise<Claim | 'goes on' | 'covers'> {
  const { clock, random } = context;
  const { due } = message;
  if (head.overlap !== 'allow') return RETRY;
  if (isTerminal(row?.status)) return DROP;
  if (!row && head.note?.due === due) {
    await recordDecisionRow(context, head, head.note);
    return RETRY;
  }
  if (!row && isManual(message)) return DROP;
  if (row?.status === 'RETRYING' && clock.now() < (row.nextAttemptAt ?? 0))
    return { kind: 'later', at: row.nextAttemptAt ?? 0 };
  const first = !row || row.status === 'WAITING';
  if (first && !isCurrent(head, message))
    return row ? cancelOpen(context, row, 'the job was withdrawn while this waited') : DROP;
  if (row && head.status === 'cancelled') return cancelOpen(context, row, 'the job was cancelled');
  if (row || isManual(message)) return 'goes on';

  const misfire = misfireOf(context, head, message);
  if (misfire.kind !== 'none') return skipLate(context, head, message, misfire);
  const { coveredUntil } = misfire;
  if (coveredUntil || isCoverAhead(context, head)) {
    const rowsUntil = coveredUntil ? laterDue(head.rowsUntil, coveredUntil) : head.rowsUntil;
    const change = { coveredUntil, rowsUntil, stamp: random.id(12) };
    if (!(await writeHead(context, head, change))) return RETRY;
    if (coveredUntil) return 'covers';
  }
  return 'goes on';
}

/** The execution has a hold: of a worker that runs, is gone, or has let go. */
async function claimHeld(
  context: Context,
  workerId: string,
  message: Message,
  item: HoldItem,
  ahead: Definition | undefined,
): Promise<Claim> {
  const { store, clock, settings } = context;
  const { jobId, due } = message;
  const { hold } = item;
  const readAt = clock.now();
  const row = await store.readRow(jobId, due, { consistent: true });
  if (isTerminal(row?.status)) return DROP;
  if (row?.status === 'RETRYING' && clock.now() < (row.nextAttemptAt ?? 0))
    return { kind: 'later', at: row.nextAttemptAt ?? 0 };
  if (!hasLetGo(hold, row) && !isOver(context, hold, readAt))
    return { kind: 'later', at: hold.leaseUntil + settings.clockSkewMs + 1 };

  const seen = await store.readHead(jobId, { consistent: true });
  if (!seen) return DROP;
  const unstarted = row?.status === 'QUEUED' || row?.status === 'WAITING';
  const asked = hold.cancelRequested && !(unstarted && hasLetGo(hold, row));
  // its worker died between inserting the hold and asking whether it may run: whether it ran is unknown, so it does
  // not start again once withdrawn, unless the schedule in force has planned this very occurrence too
  const isWithdrawn = (head: Head) => !row && !isManual(message) && !isCurrent(head, message);
  if (isWithdrawn(seen) && (await isPlannedAgain(context, seen, message))) return DROP;

  const definition = await definitionInForce(context, seen, ahead);
  const before = clock.monotonic();
  const attempts = attemptsBegun(hold, row);
  const next = { ...newHold(context, message, workerId, hold, attempts), cancelRequested: asked };
  if (!(await store.updateHoldItem(jobId, due, item.stamp, { hold: next, stamp: next.token }))) {
    const now = await store.readHoldItem(jobId, due);
    if (now?.hold.token !== next.token) return RETRY;
  }
  // who withdraws writes the head first and then asks the holds to stop, but not one whose lease is over, as this one's was
  const head = (await store.readHead(jobId, { consistent: true })) ?? seen;
  const withdrawnBy = row ? 'none' : firstClaimWithdrawnBy(message);
  const taken: AcquiredHold = { head, message, hold: next, place: { due }, before, definition, withdrawnBy };
  if (isWithdrawn(head) && (await isPlannedAgain(context, head, message))) return release(context, taken);
  const cancelled = asked || head.status === 'cancelled';
  const why = cancelled ? 'cancelled' : isWithdrawn(head) ? 'withdrawn' : undefined;
  return takeOverRow(context, taken, row, attempts, why);
}
