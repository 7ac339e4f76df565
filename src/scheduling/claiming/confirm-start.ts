// The last check before a run. A run starts only within CHANGE_RETURNS_AFTER_MS of the call that last showed the worker the
// head and its hold. A change returns later than that, so no run overlooks a change that has returned (docs/decisions/0029).

import { CONFLICT, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import { isManual } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { KeySlot } from '../../domain/jobs/concurrency-key.ts';
import type { Definition, Head, Hold } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { HoldPlace } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { definitionInForce } from '../records/definitions.ts';
import { writeHead } from '../records/write-head.ts';
import { newRow, writeFenced } from '../records/write-row.ts';
import { afterExecution, passTurn } from '../running/after-execution.ts';
import { CHANGE_RETURNS_AFTER_MS } from './change-returns.ts';
import { type Claim, DROP, RETRY } from './claim-result.ts';
import { isLate } from './misfire.ts';
import { isCurrent, isPlannedAgain } from './occurrence-validity.ts';

/** A hold that this worker has just acquired. Whether the run may start is not decided yet. */
export interface AcquiredHold {
  readonly head: Head;
  readonly message: Message;
  readonly hold: Hold;
  readonly place: HoldPlace;
  /** Monotonic time before the claim was sent. The lease counts from here. */
  readonly sentAt: number;
  /** Monotonic time before the last read of head and hold was sent. Undefined if they were not read since the claim. */
  readonly lastReadAt?: number;
  /** The definition that was in force when the head was read. */
  readonly definition: Definition | undefined;
  /**
   * Which pauses and schedule edits keep the run from starting.
   * `any`: all of them. `marked`: one that marked the hold `withdrawn`, because the execution may have started before.
   * `none`: the execution has started before, or is a manual run.
   */
  readonly withdrawnBy: 'any' | 'marked' | 'none';
  /** The hold that an undone claim puts back: the one that this hold has replaced (`holdToRestore`). */
  readonly previous?: Hold | undefined;
  /** With misfire `runOnce`, the head says that this run stands for all missed ones. Such a claim is never undone. */
  readonly coversMissed?: boolean;
  /** The claim was made before the fire time, so its misfire policy is applied at the check. */
  readonly early?: true;
  /** The slot of the concurrency key. A hold of a job with a limit does not start without one. */
  readonly slot?: KeySlot;
}

/** The value of `withdrawnBy` for a first claim. */
export const firstClaimWithdrawnBy = (message: Message): 'any' | 'none' =>
  isManual(message) ? 'none' : 'any';

/** After this many reads, each too slow to start on, the message comes back later. */
const MAX_ROUNDS = 12;
/** After these rounds the takeover is left to another worker. */
const UNDO_RETRY = { maxRounds: 12, pauseMs: 50 };

/** Whether the lease is live, counted from before the claim was sent. */
export const isLeased = ({ clock, settings }: Context, { sentAt }: AcquiredHold): boolean =>
  clock.monotonic() < sentAt + settings.leaseMs - settings.clockSkewMs;

/**
 * Step 6 of a claim. `row` is the row that this worker has fenced, and undefined if the execution has none. The result is
 * RETRY if another worker has the hold, or if the claim was undone.
 */
export async function confirmStart(
  context: Context,
  acquired: AcquiredHold,
  row: Row | undefined,
): Promise<Claim> {
  const { clock, settings } = context;
  let { head, definition, lastReadAt = acquired.sentAt } = acquired;
  try {
    for (let round = 1; round <= MAX_ROUNDS && isLeased(context, acquired); round++) {
      definition = await definitionInForce(context, head, definition);
      const isRecent = clock.monotonic() - lastReadAt < CHANGE_RETURNS_AFTER_MS;
      if (isRecent && isLeased(context, acquired))
        return startRun(context, { ...acquired, head, definition }, row);
      lastReadAt = clock.monotonic();
      const current = await readCurrent(context, acquired);
      if (!current) return RETRY;
      const next = await checkStart(context, { ...acquired, head: current.head }, row, current);
      if (typeof next === 'object') return next;
      if (next === 'read again') lastReadAt = Number.NEGATIVE_INFINITY;
      head = current.head;
    }
  } catch (error) {
    if (canUndo(acquired, row)) await undoClaim(context, acquired);
    throw error;
  }
  if (canUndo(acquired, row)) await undoClaim(context, acquired);
  return { kind: 'later', at: clock.now() + settings.clockSkewMs * 2 };
}

/** Without a row nothing has started. If the claim is undone, another worker need not wait for the end of the lease. */
const canUndo = ({ coversMissed }: AcquiredHold, row: Row | undefined): boolean => !row && !coversMissed;

function startRun({ clock, settings }: Context, acquired: AcquiredHold, row: Row | undefined): Claim {
  const { head, message, place, sentAt, definition, slot } = acquired;
  const attempt = row ? row.attempt : acquired.hold.attempt;
  const hold = { ...acquired.hold, attempt, startedAt: clock.now() };
  const leaseEnd = sentAt + settings.leaseMs;
  return { kind: 'run', claimed: { head, message, hold, place, row, leaseEnd, definition, slot } };
}

/** Head and hold as they are now, and the stamp of the item that has the hold. */
interface CurrentHold {
  readonly head: Head;
  readonly hold: Hold;
  readonly stamp: string;
}

/** Undefined if another worker has the hold. */
async function readCurrent(
  { store }: Context,
  { head: { jobId }, hold, place }: AcquiredHold,
): Promise<CurrentHold | undefined> {
  const [head, item] = await Promise.all([
    store.readHead(jobId, { consistent: true }),
    place === 'head' ? undefined : store.readHoldItem(jobId, place.due),
  ]);
  const holder = place === 'head' ? head : item;
  if (!head || !holder?.hold || holder.hold.token !== hold.token) return undefined;
  return { head, hold: holder.hold, stamp: holder.stamp };
}

/** Ends a claim that may not start any more. `read again`: another process has written the head or hold since the read. */
async function checkStart(
  context: Context,
  acquired: AcquiredHold,
  row: Row | undefined,
  current: CurrentHold,
): Promise<Claim | 'may start' | 'read again'> {
  const { message, withdrawnBy, early } = acquired;
  const { head, hold } = current;
  if (hold.cancelRequested || head.status === 'cancelled')
    return cancel(context, acquired, row, 'cancelled before it started');
  const applies = withdrawnBy === 'any' || (withdrawnBy === 'marked' && hold.withdrawn);
  const withdrawn = applies && !isCurrent(head, message);
  if (withdrawn && !canUndo(acquired, row)) {
    // the schedule in force has the same occurrence, and its message would find this row
    if (await isPlannedAgain(context, head, message)) return 'may start';
    return cancel(context, acquired, row, 'withdrawn before it started');
  }
  if (!withdrawn && !(early && isLate(context, head, message))) return 'may start';
  if (!(await restoreHold(context, acquired, current))) return 'read again';
  return withdrawn ? DROP : RETRY;
}

/** Writes a CANCELLED row that shows that the attempt did not start. */
async function cancel(
  context: Context,
  { head, hold, message }: AcquiredHold,
  opened: Row | undefined,
  reason: string,
): Promise<Claim> {
  const {
    startedAt: _,
    workerId: __,
    ...kept
  } = opened ?? newRow(head, message.due, message.revision, 'CANCELLED');
  const row: Row = {
    ...kept,
    status: 'CANCELLED',
    fence: hold.token,
    attempt: opened ? opened.attempt - 1 : 0,
    reason,
    finishedAt: context.clock.now(),
  };
  if (!(await writeFenced(context, opened, row))) return RETRY;
  await afterExecution(context, head, message, row);
  return DROP;
}

/**
 * Undoes the claim of an execution without a row, so that any other worker may claim it at once. If the store does not
 * answer, the claim ends by takeover.
 */
export async function undoClaim(context: Context, acquired: AcquiredHold): Promise<void> {
  await retryConflicts(context, UNDO_RETRY, async () => {
    try {
      const current = await readCurrent(context, acquired);
      if (!current) return;
      if (current.hold.cancelRequested && !isOfSameExecution(acquired)) {
        await cancel(context, { ...acquired, head: current.head }, undefined, 'cancelled before it started');
        return;
      }
      if (await restoreHold(context, acquired, current)) return;
    } catch (error) {
      const { jobId } = acquired.head;
      context.log.warn('failed to undo a claim; retrying', { jobId, error: String(error) });
    }
    return CONFLICT;
  });
}

/** Whether the hold was taken over from another holder of the execution, which may have started it. */
const isOfSameExecution = ({ previous, hold }: AcquiredHold): boolean => previous?.due === hold.due;

/**
 * Puts back the hold as it was before the claim. False if another process has written since the read. An occurrence may have
 * waited for this hold without a message of its own. The hold ends without a finish, so that occurrence is woken here.
 */
async function restoreHold(
  context: Context,
  acquired: AcquiredHold,
  { head, stamp, hold: { cancelRequested, withdrawn } }: CurrentHold,
): Promise<boolean> {
  const { store, random } = context;
  const { place, hold, slot } = acquired;
  // what a change has asked of the hold since counts for the next takeover
  const previous =
    acquired.previous && isOfSameExecution(acquired)
      ? { ...acquired.previous, cancelRequested, ...(withdrawn && { withdrawn }) }
      : acquired.previous;
  const restored =
    place === 'head'
      ? await writeHead(context, head, { hold: previous, stamp: random.id(12) })
      : await store.removeHoldItem(head.jobId, place.due, stamp);
  // not before: if the hold could not be put back, the run may still start
  if (restored) await dropSlot(context, slot);
  if (restored && place === 'head' && head.note?.status === 'WAITING')
    await passTurn(context, head, hold.due);
  return restored;
}

/** Frees the slot of a hold that was given up. Safety does not need it, but others need not wait for the end of its lease. */
export async function dropSlot({ store, log }: Context, slot: KeySlot | undefined): Promise<void> {
  if (!slot) return;
  await store
    .removeKeySlot(slot)
    .catch((error) => log.debug('failed to free a slot of a concurrency key', { error: String(error) }));
}
