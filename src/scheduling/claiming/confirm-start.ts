// Start: the last look before a run. A change that has returned is never overlooked: a worker starts only shortly after it has
// sent the call that showed it the head and its hold, and a change returns later than that (docs/decisions/0029).

import { CONFLICT, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import { isManual } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
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

/** A hold that we have just been given; whether it can run is still open. */
export interface AcquiredHold {
  readonly head: Head;
  readonly message: Message;
  readonly hold: Hold;
  readonly place: HoldPlace;
  /** Monotonic time before the take was sent. The lease counts from here. */
  readonly before: number;
  /** Monotonic time before the call was sent that last showed head and hold, where that was not the take. */
  readonly lookedAt?: number;
  /** The definition that was in force when the head was read. */
  readonly definition: Definition | undefined;
  /**
   * What of a pause or an edit of the schedule keeps it from starting: `any` of them, one that has `marked` the hold (the
   * execution may have started before), or `none` (it has started before, or was started by hand).
   */
  readonly withdrawnBy: 'any' | 'marked' | 'none';
  /** The hold in the head that this one has replaced. */
  readonly previous?: Hold | undefined;
  /** Misfire `runOnce`: the head says that this run stands for all that were missed, so it is not put back. */
  readonly covers?: boolean;
  /** AcquiredHold before its time: its misfire policy is asked at the look. */
  readonly ahead?: true;
}

/** Of a first claim: what was started by hand is exempt from pause and edit. */
export const firstClaimWithdrawnBy = (message: Message): 'any' | 'none' =>
  isManual(message) ? 'none' : 'any';

/** Reads take a few milliseconds; a store that answers none of so many in time has the claim come back later. */
const MAX_ROUNDS = 12;
/** After these rounds the takeover is left to another worker. */
const UNDO_RETRY = { maxRounds: 12, pauseMs: 50 };

/** The lease is live, counted from before the take was sent. */
export const isLeased = ({ clock, settings }: Context, { before }: AcquiredHold): boolean =>
  clock.monotonic() < before + settings.leaseMs - settings.clockSkewMs;

/**
 * Step 6 of a claim. `row`: as this taker has written it. RETRY: it is no longer ours, or was put back; claim it as any other.
 */
export async function confirmStart(
  context: Context,
  taken: AcquiredHold,
  row: Row | undefined,
): Promise<Claim> {
  const { clock, settings } = context;
  let { head, definition, lookedAt = taken.before } = taken;
  try {
    for (let round = 1; round <= MAX_ROUNDS && isLeased(context, taken); round++) {
      definition = await definitionInForce(context, head, definition);
      const isRecent = clock.monotonic() - lookedAt < CHANGE_RETURNS_AFTER_MS;
      if (isRecent && isLeased(context, taken)) return run(context, { ...taken, head, definition }, row);
      lookedAt = clock.monotonic();
      const seen = await look(context, taken);
      if (!seen) return RETRY;
      const next = await decide(context, { ...taken, head: seen.head }, row, seen);
      if (typeof next === 'object') return next;
      if (next === 'look again') lookedAt = Number.NEGATIVE_INFINITY;
      head = seen.head;
    }
  } catch (error) {
    if (mayGoBack(taken, row)) await undoClaim(context, taken);
    throw error;
  }
  if (mayGoBack(taken, row)) await undoClaim(context, taken);
  return { kind: 'later', at: clock.now() + settings.clockSkewMs * 2 };
}

/** Nothing has started: another worker may have it now, not when the lease is over. */
const mayGoBack = ({ covers }: AcquiredHold, row: Row | undefined): boolean => !row && !covers;

function run({ clock, settings }: Context, taken: AcquiredHold, row: Row | undefined): Claim {
  const { head, message, place, before, definition } = taken;
  const attempt = row ? row.attempt : taken.hold.attempt;
  const hold = { ...taken.hold, attempt, startedAt: clock.now() };
  const leaseEnd = before + settings.leaseMs;
  return { kind: 'run', claimed: { head, message, hold, place, row, leaseEnd, definition } };
}

/** Head and hold as they are now, and the stamp of the item that has the hold. */
interface Seen {
  readonly head: Head;
  readonly hold: Hold;
  readonly stamp: string;
}

/** Undefined: the hold is another's. */
async function look(
  { store }: Context,
  { head: { jobId }, hold, place }: AcquiredHold,
): Promise<Seen | undefined> {
  const [head, item] = await Promise.all([
    store.readHead(jobId, { consistent: true }),
    place === 'head' ? undefined : store.readHoldItem(jobId, place.due),
  ]);
  const holder = place === 'head' ? head : item;
  if (!head || !holder?.hold || holder.hold.token !== hold.token) return undefined;
  return { head, hold: holder.hold, stamp: holder.stamp };
}

/** Ends a claim that may not start any more. `look again`: somebody has written since the look. */
async function decide(
  context: Context,
  taken: AcquiredHold,
  row: Row | undefined,
  seen: Seen,
): Promise<Claim | 'may start' | 'look again'> {
  const { message, withdrawnBy, ahead } = taken;
  const { head, hold } = seen;
  if (hold.cancelRequested || head.status === 'cancelled')
    return cancel(context, taken, row, 'cancelled before it started');
  const counts = withdrawnBy === 'any' || (withdrawnBy === 'marked' && hold.withdrawn);
  const withdrawn = counts && !isCurrent(head, message);
  if (withdrawn && !mayGoBack(taken, row)) {
    // the schedule in force has the same occurrence, and its message would find this row
    if (await isPlannedAgain(context, head, message)) return 'may start';
    return cancel(context, taken, row, 'withdrawn before it started');
  }
  if (!withdrawn && !(ahead && isLate(context, head, message))) return 'may start';
  if (!(await restoreHold(context, taken, seen))) return 'look again';
  return withdrawn ? DROP : RETRY;
}

/** The row says that it did not start. */
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
 * A taken execution without a row: this worker will not run it, so that any other may. If the store does not answer, the
 * takeover is the backstop.
 */
export async function undoClaim(context: Context, taken: AcquiredHold): Promise<void> {
  await retryConflicts(context, UNDO_RETRY, async () => {
    try {
      const seen = await look(context, taken);
      if (!seen) return;
      if (seen.hold.cancelRequested) {
        await cancel(context, { ...taken, head: seen.head }, undefined, 'cancelled before it started');
        return;
      }
      if (await restoreHold(context, taken, seen)) return;
    } catch (error) {
      context.log.warn('a job could not be given back; trying again', {
        jobId: taken.head.jobId,
        error: String(error),
      });
    }
    return CONFLICT;
  });
}

/**
 * As if it had not been taken. False: somebody has written since. An occurrence may have waited for this hold without a
 * message of its own, and the hold ends without a finish: it is woken.
 */
async function restoreHold(context: Context, taken: AcquiredHold, { head, stamp }: Seen): Promise<boolean> {
  const { place, previous, hold } = taken;
  if (place !== 'head') return context.store.removeHoldItem(head.jobId, place.due, stamp);
  const done = await writeHead(context, head, { hold: previous, stamp: context.random.id(12) });
  if (done && head.note?.status === 'WAITING') await passTurn(context, head, hold.due);
  return done;
}
