// The claim of a job that runs one execution at a time. Its hold is in the head. The numbers are the steps of
// docs/protocol.md#claim.

import { type DueKey, dueAtOf, dueKey, isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import type { Head, HeadChange, Hold } from '../../domain/jobs/job.ts';
import { MAX_DELAY_MS, type Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { definitionInForce } from '../records/definitions.ts';
import { laterDue, recordDecision } from '../records/record-decision.ts';
import { writeHead } from '../records/write-head.ts';
import { recordDecisionRow } from '../records/write-row.ts';
import { afterExecution, passTurn, takeTurns } from '../running/after-execution.ts';
import { type Claim, DROP, RETRY, RETRY_CONSISTENT } from './claim-result.ts';
import { type AcquiredHold, confirmStart, firstClaimWithdrawnBy, undoClaim } from './confirm-start.ts';
import { attemptsBegun, cancelOpen, fence, mayRunAgain, nextAttempt, takeOverRow } from './fencing.ts';
import { blocks, type Found, hasLetGo, holdToRestore, isOver, newHold, SHORT_RUN_MS } from './holds.ts';
import { findSlot, startInSlot, waitForSlot } from './key-slots.ts';
import { coverUntil, fireTimeOf, isCoverInFuture, misfireOf, missedBefore, skipMissed } from './misfire.ts';
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

  // 1. read the row, if there may be one
  const readAt = clock.now();
  let row: Row | undefined;
  if (mayHaveRow(head, given)) {
    row = await store.readRow(head.jobId, due, { consistent: true });
    if (row && isTerminal(row.status)) return repeatEnd(context, given, found, row);
    if (!row && head.note?.due === due) {
      await recordDecisionRow(context, head, head.note);
      return RETRY;
    }
    if (!row && isManual(given)) return consistent ? DROP : RETRY_CONSISTENT;
  }
  const message = effectiveMessage(head, given, row);

  // 2. a duplicate message must not shorten the backoff [H9]
  if (row?.status === 'RETRYING' && clock.now() < (row.nextAttemptAt ?? 0)) {
    return { kind: 'later', at: row.nextAttemptAt ?? 0 };
  }

  // 3. the job is held for this execution
  const { hold } = head;
  if (hold?.due === due) {
    if (!hasLetGo(hold, row) && !isOver(context, hold, readAt))
      return consistent
        ? { kind: 'later', at: comeBackAt(context, head, message, hold, row) }
        : RETRY_CONSISTENT;
    const unstarted = row?.status === 'QUEUED' || row?.status === 'WAITING';
    if (!unstarted || (hold.cancelRequested && row?.fence !== hold.token))
      return takeOver(context, workerId, message, head, hold, row, found);
  } else if (hold) {
    // 4. the job is held for another execution
    const blocked = await blocks(context, head, hold, found.holderRow);
    if (blocked) return claimBlocked(context, message, head, hold, row, consistent, blocked.until);
  }

  // 5. the job is free
  return claimFree(context, workerId, message, head, row, found);
}

/** Step 5. */
async function claimFree(
  context: Context,
  workerId: string,
  message: Message,
  head: Head,
  row: Row | undefined,
  found: Found,
): Promise<Claim> {
  const claim = await acquireFree(context, workerId, message, head, row, found);
  // the execution does not use its turn, and the job stays free: the next execution in line is woken. An occurrence without
  // a row was not woken itself, but another may have waited for a hold that was undone
  if (claim.kind === 'drop' && (row || head.note?.status === 'WAITING'))
    await passTurn(context, head, message.due);
  return claim;
}

/**
 * Repeats what follows the end of an execution, because its worker may have died after the write of the row. A one-time job is
 * completed. If the job is free, the next execution in line is woken.
 */
async function repeatEnd(
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
 * The time at which the message of a held execution comes back: the end of the lease. If the hold belongs to a withdrawn schedule
 * and the message to the one in force, it comes back after SHORT_RUN_MS, because the worker may be about to undo an early claim.
 */
function comeBackAt(
  context: Context,
  head: Head,
  message: Message,
  hold: Hold,
  row: Row | undefined,
): number {
  const end = leaseEnd(context, hold);
  // before its first heartbeat, the worker may still wait for a run slot
  const mayBeUnstarted = context.clock.now() < hold.startedAt + context.settings.heartbeatMs;
  const mayBeUndone =
    mayBeUnstarted && !row && hold.revision !== message.revision && isCurrent(head, message);
  return mayBeUndone ? Math.min(end, context.clock.now() + SHORT_RUN_MS) : end;
}

/** Step 4: another execution holds the job. */
async function claimBlocked(
  context: Context,
  message: Message,
  head: Head,
  hold: Hold,
  row: Row | undefined,
  consistent: boolean,
  until: number,
): Promise<Claim> {
  const current = isCurrent(head, message);
  if (!row && current && !isManual(message)) return skipOrWait(context, message, head, hold);
  if (!consistent) return RETRY_CONSISTENT;
  const withdrawn = head.status === 'cancelled' || (row?.status === 'WAITING' && !current);
  if (row && withdrawn) return cancelOpen(context, row, 'the job was withdrawn while this waited');
  // a manual run keeps its message, and so does an execution that waits for a later occurrence. A finish looks at few rows
  // before its own, so an execution that loses its turn each time that settle sends it would wait forever
  if (row && (isManual(message) || message.due < hold.due)) {
    const now = context.clock.now();
    const wait = Math.min(context.settings.heartbeatMs, Math.max(SHORT_RUN_MS, now - hold.startedAt));
    return { kind: 'later', at: Math.max(now + wait, Math.min(until, now + MAX_DELAY_MS)) };
  }
  return DROP;
}

/** Decides in the head about a blocked occurrence without a row: SKIPPED or WAITING. */
async function skipOrWait(context: Context, message: Message, head: Head, hold: Hold): Promise<Claim> {
  const { due, revision } = message;
  const misfire = misfireOf(context, head, message);
  if (misfire.coveredUntil && isCoveredByHolder(head, hold, due)) {
    await coverByHolder(context, head, hold, due);
    return RETRY;
  }
  // after an outage, missed occurrences are claimed together. With `runAll` they wait, or they would skip each other
  const waits = head.overlap === 'queue' || misfire.mustRun;
  if (misfire.reason || !waits) {
    const running = `overlap: the execution due ${new Date(dueAtOf(hold.due)).toISOString()} was still running`;
    const reason = misfire.reason ?? running;
    return (await recordDecision(context, head, { due, status: 'SKIPPED', reason, revision })) ? DROP : RETRY;
  }
  const reason = 'waits for the execution before it';
  if (!(await recordDecision(context, head, { due, status: 'WAITING', reason, revision }))) return RETRY;
  // the holder may have finished, and looked for waiting rows, before this row was written
  const holderRow = await context.store.readRow(head.jobId, hold.due, { consistent: true });
  return isTerminal(holderRow?.status) ? RETRY : DROP;
}

/** With `runOnce`, a later occurrence that runs already stands for this one. */
const isCoveredByHolder = (head: Head, hold: Hold, due: DueKey): boolean =>
  !isManual(hold) && fireTimeOf(head, hold.due) > fireTimeOf(head, due);

/** Writes that the holder's run stands for all occurrences that were missed before it fired. */
async function coverByHolder(context: Context, head: Head, hold: Hold, due: DueKey): Promise<void> {
  const { clock, random } = context;
  const missed = Math.min(missedBefore(context), clock.now() - head.misfire.graceSeconds * 1000);
  const until = Math.max(fireTimeOf(head, due), Math.min(fireTimeOf(head, hold.due) - 1, missed));
  const coveredUntil = coverUntil(context, head, dueKey(until));
  const rowsUntil = laterDue(head.rowsUntil, coveredUntil);
  await writeHead(context, head, { coveredUntil, rowsUntil, stamp: random.id(12) });
}

/** Writes the hold into the head, unless the execution is withdrawn, cancelled or missed. */
async function acquireFree(
  context: Context,
  workerId: string,
  message: Message,
  head: Head,
  row: Row | undefined,
  { consistent, definition: preread, holderRow }: Found,
): Promise<Claim> {
  // WAITING is a first claim too: it must not start after a pause has returned [H4]
  const first = !row || row.status === 'WAITING';
  if (first && !isCurrent(head, message)) {
    if (!consistent) return RETRY_CONSISTENT;
    return row ? cancelOpen(context, row, 'the job was withdrawn while this waited') : DROP;
  }
  // so is RUNNING: a worker fenced the row after its lease, and did not start. It ends as in a takeover, the head first,
  // because another worker may have claimed it again
  const withdrawn = row?.status === 'RUNNING' && !isManual(message) && !isCurrent(head, message);
  if (row && head.status === 'cancelled') return cancelOpen(context, row, 'the job was cancelled');

  let coveredUntil: string | undefined;
  if (!row && !isManual(message)) {
    const misfire = misfireOf(context, head, message);
    if (misfire.kind === 'covered' && !consistent) return RETRY_CONSISTENT;
    if (misfire.kind !== 'none') return skipMissed(context, head, message, misfire);
    coveredUntil = misfire.coveredUntil;
  }

  const found = await findSlot(context, head, message);
  if (!found) return waitForSlot(context, head, message);
  const definition = await definitionInForce(context, head, preread);
  const sentAt = context.clock.monotonic();
  // without a row, the claim of the head is the only write before the start, so it counts the attempt
  const hold = newHold(context, message, workerId, head.hold, row ? nextAttempt(row) - 1 : 1);
  const rowsUntil = isManual(message) ? head.rowsUntil : laterDue(head.rowsUntil, message.due);
  const cover = coveredUntil && { coveredUntil, rowsUntil: laterDue(rowsUntil, coveredUntil) };
  // a claim that covers others is never undone, so a job with a concurrency limit covers them when it has its slot
  const coversNow = head.limit ? undefined : cover;
  const change = {
    hold,
    ...(rowsUntil && { rowsUntil }),
    ...(isCoverInFuture(context, head) && { coveredUntil: undefined }),
    ...coversNow,
    stamp: hold.token,
  };
  if (!(await writeHead(context, head, change))) return RETRY;
  const isFirst = first || row?.status === 'RUNNING';
  const acquired: AcquiredHold = {
    ...{ head: { ...head, ...change }, message, hold, sentAt, definition, place: 'head' },
    previous: head.hold && holdToRestore(context, head.hold, holderRow),
    coversMissed: coversNow !== undefined,
    withdrawnBy: isFirst ? firstClaimWithdrawnBy(message) : 'none',
  };
  if (withdrawn)
    return takeOverRow(context, acquired, { old: head.hold ?? hold, row }, hold.attempt, 'withdrawn');
  return startInSlot(context, acquired, found, row ? 'release' : 'restore', async (inSlot) => {
    if (row) return fence(context, inSlot, row);
    return cover && !coversNow
      ? coverAndStart(context, inSlot, cover)
      : confirmStart(context, inSlot, undefined);
  });
}

/** Writes that the run stands for all missed ones, when it has its slot. */
async function coverAndStart(
  context: Context,
  acquired: AcquiredHold,
  cover: Required<Pick<HeadChange, 'coveredUntil' | 'rowsUntil'>>,
): Promise<Claim> {
  const change = { ...cover, stamp: context.random.id(12) };
  if (!(await writeHead(context, acquired.head, change))) {
    await undoClaim(context, acquired);
    return RETRY;
  }
  const covering = { ...acquired, head: { ...acquired.head, ...change }, coversMissed: true };
  return confirmStart(context, covering, undefined);
}

/** The takeover of step 3: the holder is lost, or has let go for a retry. */
async function takeOver(
  context: Context,
  workerId: string,
  message: Message,
  head: Head,
  old: Hold,
  row: Row | undefined,
  { consistent, definition: preread }: Found,
): Promise<Claim> {
  // an execution with a row has started, and a started execution continues when its schedule is withdrawn
  const withdrawn = old.withdrawn && !row && !isCurrent(head, message);
  if (withdrawn && (await isPlannedAgain(context, head, message)))
    return consistent ? DROP : RETRY_CONSISTENT;
  const cancelled = old.cancelRequested || head.status === 'cancelled';
  const endedBy = cancelled ? 'cancelled' : withdrawn ? 'withdrawn' : undefined;
  const attempts = attemptsBegun(old, row);
  const runs = !endedBy && mayRunAgain(head, row, attempts);
  const found = runs ? await findSlot(context, head, message) : 'not needed';
  if (!found) return waitForSlot(context, head, message);
  const definition = await definitionInForce(context, head, preread);
  const sentAt = context.clock.monotonic();
  const hold = {
    ...newHold(context, message, workerId, old, attempts),
    cancelRequested: old.cancelRequested,
    ...(withdrawn && { withdrawn }),
  };
  if (!(await writeHead(context, head, { hold, stamp: hold.token }))) return RETRY;
  const acquired: AcquiredHold = {
    ...{ head: { ...head, hold, stamp: hold.token }, message, hold, sentAt, definition, place: 'head' },
    ...{ previous: old, withdrawnBy: row ? 'none' : 'marked' },
  };
  if (!runs) return takeOverRow(context, acquired, { old, row }, attempts, endedBy);
  return startInSlot(context, acquired, found, row ? 'release' : 'expire', (inSlot) =>
    takeOverRow(context, inSlot, { old, row }, attempts, endedBy),
  );
}
