// Claim of a job that runs one execution at a time: its hold is in the head (docs/protocol.md#claim, by its steps).

import { dueAtOf, dueKey, isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import type { Head, Hold } from '../../domain/jobs/job.ts';
import { MAX_DELAY_MS, type Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { definitionInForce } from '../records/definitions.ts';
import { laterDue, recordDecision } from '../records/record-decision.ts';
import { writeHead } from '../records/write-head.ts';
import { recordDecisionRow } from '../records/write-row.ts';
import { afterExecution, passTurn, takeTurns } from '../running/after-execution.ts';
import { type Claim, DROP, RETRY, RETRY_CONSISTENT } from './claim-result.ts';
import { type AcquiredHold, confirmStart, firstClaimWithdrawnBy } from './confirm-start.ts';
import { attemptsBegun, cancelOpen, fence, nextAttempt, takeOverRow } from './fencing.ts';
import { blocks, type Found, hasLetGo, isOver, newHold, SHORT_RUN_MS } from './holds.ts';
import { covering, firedAt, isCoverAhead, misfireOf, missedBefore, skipLate } from './misfire.ts';
import { effectiveMessage, isCurrent, isPlannedAgain, mayHaveRow } from './occurrence-validity.ts';
import { isOrdinaryClaim } from './ordinary-claim.ts';

export async function claimExclusive(
  context: Context,
  workerId: string,
  given: Message,
  found: Found,
): Promise<Claim> {
  const { store, clock } = context;
  const { head, consistent } = found;
  if (!head) return consistent ? DROP : RETRY_CONSISTENT;
  if (isOrdinaryClaim(context, given, head, found.holderRow))
    return claimFree(context, workerId, given, head, undefined, found);
  const { due } = given;
  const manual = isManual(given);

  // 1. the row, where there may be one
  const readAt = clock.now();
  let row: Row | undefined;
  if (mayHaveRow(head, given)) {
    row = await store.readRow(head.jobId, due, { consistent: true });
    if (row && isTerminal(row.status)) return endedBefore(context, given, found, row);
    if (!row && head.note?.due === due) {
      await recordDecisionRow(context, head, head.note);
      return RETRY;
    }
    if (!row && manual) return consistent ? DROP : RETRY_CONSISTENT;
  }
  const message = effectiveMessage(head, given, row);

  // 2. a duplicate must not cut the backoff [H9]
  if (row?.status === 'RETRYING' && clock.now() < (row.nextAttemptAt ?? 0)) {
    return { kind: 'later', at: row.nextAttemptAt ?? 0 };
  }

  // 3. held for this very execution
  const { hold } = head;
  if (hold?.due === due) {
    if (!hasLetGo(hold, row) && !isOver(context, hold, readAt))
      return consistent
        ? { kind: 'later', at: askAgainAt(context, head, message, hold, row) }
        : RETRY_CONSISTENT;
    const unstarted = row?.status === 'QUEUED' || row?.status === 'WAITING';
    if (!unstarted || (hold.cancelRequested && row?.fence !== hold.token))
      return takeOver(context, workerId, message, head, hold, row, found);
  } else if (hold) {
    // 4. held for another
    const blocked = await blocks(context, head, hold, found.holderRow);
    if (blocked) return yieldTo(context, message, head, hold, row, consistent, blocked.until);
  }

  return claimFree(context, workerId, message, head, row, found);
}

/** Step 5: the job is free. */
async function claimFree(
  context: Context,
  workerId: string,
  message: Message,
  head: Head,
  row: Row | undefined,
  found: Found,
): Promise<Claim> {
  const claim = await takeFree(context, workerId, message, head, row, found);
  // the execution does not use its turn, and the job stays free: the next execution in line is woken. An occurrence without
  // a row was not woken itself, but another may have waited for a hold that was undone
  if (claim.kind === 'drop' && (row || head.note?.status === 'WAITING'))
    await passTurn(context, head, message.due);
  return claim;
}

/**
 * A message whose execution has ended. Its worker may have died between the write of that end and what follows it, so that
 * is done again: a one-time job is completed and, unless somebody holds the job, the next execution in line is woken.
 */
async function endedBefore(
  context: Context,
  message: Message,
  { head, consistent, holderRow }: Found,
  row: Row,
): Promise<Claim> {
  if (!head || !(row.once || takeTurns(head))) return DROP;
  if (!consistent) return RETRY_CONSISTENT;
  const { hold } = head;
  if (hold && hold.due !== row.due && (await blocks(context, head, hold, holderRow))) return DROP;
  await afterExecution(context, head, message, row);
  return DROP;
}

const leaseEnd = ({ settings }: Context, hold: Hold): number => hold.leaseUntil + settings.clockSkewMs + 1;

/**
 * When the lease is over; but soon, if the hold is of a schedule that was withdrawn since and ours is in force: a worker
 * that took it ahead of its time is about to give it back.
 */
function askAgainAt(
  context: Context,
  head: Head,
  message: Message,
  hold: Hold,
  row: Row | undefined,
): number {
  const end = leaseEnd(context, hold);
  // it may still wait for a place; who beats runs
  const mayNotStart = context.clock.now() < hold.startedAt + context.settings.heartbeatMs;
  const outlived = mayNotStart && !row && hold.revision !== message.revision && isCurrent(head, message);
  return outlived ? Math.min(end, context.clock.now() + SHORT_RUN_MS) : end;
}

/** Step 4: somebody else runs. Wait, be skipped, or go. */
async function yieldTo(
  context: Context,
  message: Message,
  head: Head,
  hold: Hold,
  row: Row | undefined,
  consistent: boolean,
  until: number,
): Promise<Claim> {
  const { store, clock, random } = context;
  const { due } = message;
  const live = isCurrent(head, message);
  if (row || isManual(message) || !live) {
    if (!consistent) return RETRY_CONSISTENT;
    const withdrawn = head.status === 'cancelled' || (row?.status === 'WAITING' && !live);
    if (row && withdrawn) return cancelOpen(context, row, 'the job was withdrawn while this waited');
    // what was started by hand keeps its message, and so does what waits for a later occurrence: a finish looks at few
    // rows before its own, and what loses its turn each time that settle sends it would wait for ever
    if (row && (isManual(message) || due < hold.due)) {
      const now = clock.now();
      const wait = Math.min(context.settings.heartbeatMs, Math.max(SHORT_RUN_MS, now - hold.startedAt));
      return { kind: 'later', at: Math.max(now + wait, Math.min(until, now + MAX_DELAY_MS)) };
    }
    return DROP;
  }
  const misfire = misfireOf(context, head, message);
  // missed ones come all at once when a worker is back: with `runAll` they take turns, or they would skip each other
  const waits = head.overlap === 'queue' || misfire.mustRun;
  const firesAt = firedAt(head, due);
  const holderFiredAt = firedAt(head, hold.due);
  if (misfire.coveredUntil && !isManual(hold) && holderFiredAt > firesAt) {
    // `runOnce`, and a later one runs already: it stands for all that were missed before it fired
    const missed = Math.min(missedBefore(context), clock.now() - head.misfire.graceSeconds * 1000);
    const before = Math.max(firesAt, Math.min(holderFiredAt - 1, missed));
    const coveredUntil = covering(context, head, dueKey(before));
    const rowsUntil = laterDue(head.rowsUntil, coveredUntil);
    await writeHead(context, head, { coveredUntil, rowsUntil, stamp: random.id(12) });
    return RETRY;
  }
  if (misfire.reason || !waits) {
    const running = `overlap: the execution due ${new Date(dueAtOf(hold.due)).toISOString()} was still running`;
    const reason = misfire.reason ?? running;
    const noted = await recordDecision(context, head, {
      due,
      status: 'SKIPPED',
      reason,
      revision: message.revision,
    });
    return noted ? DROP : RETRY;
  }
  const reason = 'waits for the execution before it';
  if (!(await recordDecision(context, head, { due, status: 'WAITING', reason, revision: message.revision })))
    return RETRY;
  // the holder may have finished, and looked for waiting rows, before ours was there
  const holderRow = await store.readRow(head.jobId, hold.due, { consistent: true });
  return isTerminal(holderRow?.status) ? RETRY : DROP;
}

/** Step 5: nobody is in the way. */
async function takeFree(
  context: Context,
  workerId: string,
  message: Message,
  head: Head,
  row: Row | undefined,
  { consistent, definition: ahead }: Found,
): Promise<Claim> {
  const { clock } = context;
  const { due } = message;
  // WAITING is a first claim too: it must not start after a pause has returned [H4]
  const first = !row || row.status === 'WAITING';
  if (first && !isCurrent(head, message)) {
    if (!consistent) return RETRY_CONSISTENT;
    return row ? cancelOpen(context, row, 'the job was withdrawn while this waited') : DROP;
  }
  // so is what a taker has fenced after its lease: others found the job free, and it did not start. Ended as in a takeover,
  // the head first: by now somebody may have taken it again
  const withdrawn = row?.status === 'RUNNING' && !isManual(message) && !isCurrent(head, message);
  if (row && head.status === 'cancelled') return cancelOpen(context, row, 'the job was cancelled');

  let covers: string | undefined;
  if (!row && !isManual(message)) {
    const misfire = misfireOf(context, head, message);
    if (misfire.kind === 'covered' && !consistent) return RETRY_CONSISTENT;
    if (misfire.kind !== 'none') return skipLate(context, head, message, misfire);
    covers = misfire.coveredUntil;
  }

  const definition = await definitionInForce(context, head, ahead);
  const before = clock.monotonic();
  // without a row the take is all that is written before the start
  const hold = newHold(context, message, workerId, head.hold, row ? nextAttempt(row) - 1 : 1);
  const regular = !isManual(message);
  let rowsUntil = regular ? laterDue(head.rowsUntil, due) : head.rowsUntil;
  if (covers) rowsUntil = laterDue(rowsUntil, covers);
  const change = {
    hold,
    ...(rowsUntil && { rowsUntil }),
    ...((covers || isCoverAhead(context, head)) && { coveredUntil: covers }),
    stamp: hold.token,
  };
  if (!(await writeHead(context, head, change))) return RETRY;
  const isFirst = first || row?.status === 'RUNNING';
  const taken: AcquiredHold = {
    ...{ head: { ...head, ...change }, message, hold, before, definition, place: 'head' },
    ...{ previous: head.hold, covers: covers !== undefined },
    withdrawnBy: isFirst ? firstClaimWithdrawnBy(message) : 'none',
  };
  if (withdrawn) return takeOverRow(context, taken, row, hold.attempt, 'withdrawn');
  return row ? fence(context, taken, row) : confirmStart(context, taken, undefined);
}

/** Step 3, takeover: the holder is gone, or has let go for a retry. */
async function takeOver(
  context: Context,
  workerId: string,
  message: Message,
  head: Head,
  old: Hold,
  row: Row | undefined,
  { consistent, definition: ahead }: Found,
): Promise<Claim> {
  // one that has a row has started: it goes on, as everything that is held when its schedule is withdrawn
  const withdrawn = old.withdrawn && !row && !isCurrent(head, message);
  if (withdrawn && (await isPlannedAgain(context, head, message)))
    return consistent ? DROP : RETRY_CONSISTENT;
  const definition = await definitionInForce(context, head, ahead);
  const before = context.clock.monotonic();
  const attempts = attemptsBegun(old, row);
  const hold = {
    ...newHold(context, message, workerId, old, attempts),
    cancelRequested: old.cancelRequested,
    ...(withdrawn && { withdrawn }),
  };
  if (!(await writeHead(context, head, { hold, stamp: hold.token }))) return RETRY;
  const taken: AcquiredHold = {
    ...{ head: { ...head, hold, stamp: hold.token }, message, hold, before, definition, place: 'head' },
    withdrawnBy: row ? 'none' : 'marked',
  };
  const cancelled = old.cancelRequested || head.status === 'cancelled';
  const why = cancelled ? 'cancelled' : withdrawn ? 'withdrawn' : undefined;
  return takeOverRow(context, taken, row, attempts, why);
}
