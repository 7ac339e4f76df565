// Take ahead: the take of a normal run is written a little before its time, so that at the time itself nothing is left to
// do but to start; thousands that are due at once then start at once (docs/decisions/0017).
//
// A held job does not run yet. A cancel, pause or edit in between returns only when the run would have started (change-returns.ts),
// so no change that has returned before the fire time is overlooked. A hold that does not start is put back as it was (start.ts).

import type { Head, Hold } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { writeHead } from '../records/write-head.ts';
import type { Prepared } from './claim.ts';
import type { AcquiredHold } from './confirm-start.ts';
import { newHold } from './holds.ts';
import { isOrdinaryClaim } from './ordinary-claim.ts';

/** Undefined where anything is out of the ordinary: the claim at its time decides. */
export async function claimEarly(
  context: Context,
  workerId: string,
  message: Message,
  prepared: Prepared,
): Promise<AcquiredHold | undefined> {
  if (!canClaimEarly(context, message, prepared)) return undefined;
  const { head, definition } = prepared;
  const before = context.clock.monotonic();
  const hold = {
    ...newHold(context, message, workerId, head.hold, 1),
    startedAt: Math.max(message.fireAt, context.clock.now()),
  };
  const change = { hold, rowsUntil: message.due, stamp: hold.token };
  const taken: AcquiredHold = {
    ...{ head: { ...head, ...change }, message, hold, before, definition },
    ...{ place: 'head', previous: head.hold, withdrawnBy: 'any', ahead: true },
  };
  try {
    return (await writeHead(context, head, change)) ? taken : undefined;
  } catch (error) {
    // the take may have been done: the look at its time, or giving it back, finds out
    context.log.debug('whether it was taken ahead is not known', { error: String(error) });
    return { ...taken, lookedAt: Number.NEGATIVE_INFINITY };
  }
}

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
 * For who withdraws a schedule: the worker may die before the start, and nobody could tell then whether it had started.
 * Written with the withdrawal, so that the takeover knows that it was not to. By anybody's clock its time may be to come.
 */
export function withdrawHold({ clock, settings }: Context, head: Head): { hold?: Hold } {
  const { hold } = head;
  const isFirst = hold?.revision === head.revision && hold.attempt === 1;
  const mayBeToCome = isFirst && clock.now() < hold.startedAt + settings.clockSkewMs;
  return mayBeToCome ? { hold: { ...hold, withdrawn: true } } : {};
}
