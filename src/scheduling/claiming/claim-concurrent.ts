// The claim of a job with `overlap: allow`. Each execution has a hold item of its own, and the head is not written.
//
// The hold is inserted first, then head and row are read consistently. A change writes the head first, and returns after every
// run that was claimed before it has started (change-returns.ts). So no run overlooks a change that has returned
// (docs/decisions/0029).

import { isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import type { Definition, Head, HeadChange, Hold, HoldItem } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { confirmWrite } from '../records/confirm-write.ts';
import { definitionInForce } from '../records/definitions.ts';
import { laterDue } from '../records/record-decision.ts';
import { writeHead } from '../records/write-head.ts';
import { recordDecisionRow } from '../records/write-row.ts';
import { type Claim, DROP, RETRY } from './claim-result.ts';
import {
  type AcquiredHold,
  confirmStart,
  firstClaimWithdrawnBy,
  isLeased,
  undoClaim,
} from './confirm-start.ts';
import { attemptsBegun, cancelOpen, fence, mayRunAgain, release, takeOverRow } from './fencing.ts';
import { hasLetGo, isOver, newHold } from './holds.ts';
import { findSlot, startInSlot, waitForSlot } from './key-slots.ts';
import { isCoverInFuture, misfireOf, skipMissed } from './misfire.ts';
import { isCurrent, isPlannedAgain } from './occurrence-validity.ts';

export async function claimConcurrent(
  context: Context,
  workerId: string,
  message: Message,
  stale: Head,
  preread: Definition | undefined,
): Promise<Claim> {
  const { store, clock } = context;
  const { jobId, due } = message;
  const item = await store.readHoldItem(jobId, due);
  if (item) return claimHeld(context, workerId, message, item, preread);

  // saves the insert for a message that is no longer current; the read that counts follows the insert
  if (!isCurrent(stale, message) && !isManual(message)) {
    const head = await store.readHead(jobId, { consistent: true });
    if (!head || (!isCurrent(head, message) && head.note?.due !== due)) {
      const row = await store.readRow(jobId, due, { consistent: true });
      return row?.status === 'WAITING'
        ? cancelOpen(context, row, 'the job was withdrawn while this waited')
        : DROP;
    }
  }
  const found = await findSlot(context, stale, message);
  if (!found) return waitForSlot(context, stale, message);
  const definition = await definitionInForce(context, stale, preread);
  const sentAt = clock.monotonic();
  const hold = newHold(context, message, workerId, undefined, 1);
  if (!(await insertHold(context, jobId, hold))) return RETRY;
  const [head, row] = await Promise.all([
    store.readHead(jobId, { consistent: true }),
    store.readRow(jobId, due, { consistent: true }),
  ]);
  const next = head ? await checkBeforeStart(context, message, head, row) : DROP;
  if (!head || 'kind' in next) {
    // on condition of the stamp: a cancel that was requested of this hold has returned, and must not be removed with it
    const removed = await store.removeHoldItem(jobId, due, hold.token);
    return removed && 'kind' in next ? next : RETRY;
  }
  // another worker has taken over meanwhile, and the RUNNING row has its fence
  if (row?.status === 'RUNNING') return RETRY;
  const withdrawnBy = !row || row.status === 'WAITING' ? firstClaimWithdrawnBy(message) : 'none';
  const acquired: AcquiredHold = {
    ...{ head, message, hold, place: { due }, sentAt, definition, withdrawnBy },
  };
  return startInSlot(context, acquired, found, row ? 'release' : 'restore', async (inSlot) => {
    const covered = await coverMissed(context, inSlot, next.cover);
    if (!covered) return RETRY;
    // by now the execution may have been taken over, ended and reopened by a retry, so its row must not be fenced here
    if (!isLeased(context, covered)) return RETRY;
    return row ? fence(context, covered, row) : confirmStart(context, covered, undefined);
  });
}

/** Writes that the run stands for all missed ones. Undefined if the head has changed, and the claim was undone. */
async function coverMissed(
  context: Context,
  acquired: AcquiredHold,
  cover: Cover | undefined,
): Promise<AcquiredHold | undefined> {
  if (!cover) return acquired;
  if (await writeHead(context, acquired.head, { ...cover, stamp: context.random.id(12) }))
    return { ...acquired, coversMissed: cover.coveredUntil !== undefined };
  await undoClaim(context, acquired);
  return undefined;
}

const insertHold = ({ store }: Context, jobId: string, hold: Hold): Promise<boolean> =>
  confirmWrite(
    () => store.insertHoldItem({ jobId, due: hold.due, hold, stamp: hold.token }),
    async () => (await store.readHoldItem(jobId, hold.due))?.hold.token === hold.token,
  );

/** The change of the head by which a run stands for all missed ones, or which removes a cover in the future. */
type Cover = Pick<HeadChange, 'coveredUntil' | 'rowsUntil'>;

/** Decides after the insert of the hold. Without a `kind` the execution may start, after the cover is written. */
async function checkBeforeStart(
  context: Context,
  message: Message,
  head: Head,
  row: Row | undefined,
): Promise<Claim | { readonly cover?: Cover }> {
  const { clock } = context;
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
  if (row || isManual(message)) return {};

  const misfire = misfireOf(context, head, message);
  if (misfire.kind !== 'none') return skipMissed(context, head, message, misfire);
  const { coveredUntil } = misfire;
  if (!coveredUntil && !isCoverInFuture(context, head)) return {};
  const rowsUntil = coveredUntil ? laterDue(head.rowsUntil, coveredUntil) : head.rowsUntil;
  return { cover: { coveredUntil, rowsUntil } };
}

/** Claims an execution that has a hold. Its worker runs it, is lost, or has let go. */
async function claimHeld(
  context: Context,
  workerId: string,
  message: Message,
  item: HoldItem,
  preread: Definition | undefined,
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
  const cancelRequested = hold.cancelRequested && !(unstarted && hasLetGo(hold, row));
  // without a row, the lost worker may or may not have started the run. A withdrawn execution does not start again, unless
  // the schedule in force has planned the same occurrence
  const isWithdrawn = (head: Head) => !row && !isManual(message) && !isCurrent(head, message);
  if (isWithdrawn(seen) && (await isPlannedAgain(context, seen, message))) return DROP;

  const attempts = attemptsBegun(hold, row);
  const ends = cancelRequested || seen.status === 'cancelled' || isWithdrawn(seen);
  const runs = !ends && mayRunAgain(seen, row, attempts);
  const found = runs ? await findSlot(context, seen, message) : 'not needed';
  if (!found) return waitForSlot(context, seen, message);
  const definition = await definitionInForce(context, seen, preread);
  const sentAt = clock.monotonic();
  const next = { ...newHold(context, message, workerId, hold, attempts), cancelRequested };
  if (!(await store.updateHoldItem(jobId, due, item.stamp, { hold: next, stamp: next.token }))) {
    const now = await store.readHoldItem(jobId, due);
    if (now?.hold.token !== next.token) return RETRY;
  }
  // a cancel of the job writes the head and then requests a cancel of each hold, except of expired ones as this one was
  const head = (await store.readHead(jobId, { consistent: true })) ?? seen;
  const withdrawnBy = row ? 'none' : firstClaimWithdrawnBy(message);
  const acquired: AcquiredHold = {
    head,
    message,
    hold: next,
    place: { due },
    sentAt,
    definition,
    withdrawnBy,
  };
  if (isWithdrawn(head) && (await isPlannedAgain(context, head, message))) return release(context, acquired);
  const cancelled = cancelRequested || head.status === 'cancelled';
  const endedBy = cancelled ? 'cancelled' : isWithdrawn(head) ? 'withdrawn' : undefined;
  if (endedBy || !mayRunAgain(head, row, attempts))
    return takeOverRow(context, acquired, { old: hold, row }, attempts, endedBy);
  return startInSlot(context, acquired, found, 'release', (inSlot) =>
    takeOverRow(context, inSlot, { old: hold, row }, attempts, endedBy),
  );
}
