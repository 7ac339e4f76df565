// The early claim: the claim of an ordinary run is written before its fire time. At the fire time only the start is left, so
// thousands of jobs that are due together start together (docs/decisions/0017).
//
// The hold does not run yet. A cancel, pause or edit before the start returns after the start (change-returns.ts), so no run
// overlooks a change that returned before the fire time. A claim that does not start is undone (confirm-start.ts).

import type { Head, Hold } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { writeHead } from '../records/write-head.ts';
import type { Prepared } from './claim.ts';
import { type AcquiredHold, undoClaim } from './confirm-start.ts';
import { newHold } from './holds.ts';
import { acquireSlot, type FoundSlot, findSlot } from './key-slots.ts';
import { isOrdinaryClaim } from './ordinary-claim.ts';

/** Undefined if the claim is not an ordinary one, or was refused. The claim at the fire time decides then. */
export async function claimEarly(
  context: Context,
  workerId: string,
  message: Message,
  prepared: Prepared,
): Promise<AcquiredHold | undefined> {
  if (!canClaimEarly(context, message, prepared)) return undefined;
  const { head, definition } = prepared;
  const found = await trySlot(context, () => findSlot(context, head, message));
  if (!found) return undefined;
  const sentAt = context.clock.monotonic();
  const hold = {
    ...newHold(context, message, workerId, head.hold, 1),
    startedAt: Math.max(message.fireAt, context.clock.now()),
  };
  const change = { hold, rowsUntil: message.due, stamp: hold.token };
  const acquired: AcquiredHold = {
    ...{ head: { ...head, ...change }, message, hold, sentAt, definition },
    ...{ place: 'head', previous: head.hold, withdrawnBy: 'any', early: true },
  };
  let isKnown = true;
  try {
    if (!(await writeHead(context, head, change))) return undefined;
  } catch (error) {
    // the write may have succeeded: the check before the start, or the undo, reads the head again
    context.log.debug('the result of an early claim is unknown', { error: String(error) });
    isKnown = false;
  }
  if (!head.limit) return isKnown ? acquired : { ...acquired, lastReadAt: Number.NEGATIVE_INFINITY };
  return isKnown ? inSlot(context, acquired, found) : undoEarly(context, acquired);
}

/** The early claim with its slot. Without a slot it is undone, and the claim at the fire time decides. */
async function inSlot(
  context: Context,
  acquired: AcquiredHold,
  found: FoundSlot,
): Promise<AcquiredHold | undefined> {
  const slot = await trySlot(context, () => acquireSlot(context, acquired, found));
  return slot ? { ...acquired, slot } : undoEarly(context, acquired);
}

/** A slot is acquired only after its hold, so a claim whose result is unknown is undone too. */
async function undoEarly(context: Context, acquired: AcquiredHold): Promise<undefined> {
  await undoClaim(context, acquired);
}

/** Undefined if the store does not answer. */
const trySlot = <T>({ log }: Context, look: () => Promise<T>): Promise<T | undefined> =>
  look().catch((error) => {
    log.debug('failed to look for a slot before the fire time', { error: String(error) });
    return undefined;
  });

/**
 * Whether the claim may be written before the fire time. With a single attempt it may not: if the worker died between claim
 * and start, no other worker could tell whether the attempt had started.
 */
const canClaimEarly = (
  context: Context,
  message: Message,
  { head, holderRow }: Pick<Prepared, 'head' | 'holderRow'>,
): boolean =>
  head.overlap !== 'allow' &&
  head.retry.maxAttempts > 1 &&
  isOrdinaryClaim(context, message, head, holderRow);

/**
 * The mark that a pause or a schedule edit writes into a hold that may not have started. If the worker dies before the start,
 * no other worker can tell whether it had started. The mark keeps the takeover from starting it.
 */
export function withdrawHold({ clock, settings }: Context, head: Head): { hold?: Hold } {
  const { hold } = head;
  const isFirst = hold?.revision === head.revision && hold.attempt === 1;
  const mayBeUnstarted = isFirst && clock.now() < hold.startedAt + settings.clockSkewMs;
  return mayBeUnstarted ? { hold: { ...hold, withdrawn: true } } : {};
}
