// Take ahead: the take of a normal run is written a little before its time, so that at the time itself nothing is left to
// do but to start; thousands that are due at once then start at once (docs/decisions/0017).
//
// Held is not running yet: who cancels, pauses or edits a job then is told so only when it would have started, so no change
// that has returned before the fire time is overlooked. What does not start is put back as it was.
import { isTerminal, type Row } from '../domain/execution.ts';
import { BY_HAND } from '../domain/ids.ts';
import type { Head, Hold } from '../domain/job.ts';
import type { Message } from '../queue/queue.ts';
import { AGAIN, type Claim, DONE } from './answers.ts';
import type { Prepared } from './claim.ts';
import type { Context } from './context.ts';
import { ended } from './ended.ts';
import { writeHead } from './head.ts';
import { newHold } from './holds.ts';
import { isLive } from './live.ts';
import { misfireOf } from './misfire.ts';
import { laterDue } from './note.ts';
import { newRow, writeFenced } from './rows.ts';
import { start, type Taken } from './take.ts';

export interface TakenAhead extends Taken {
  /** The hold that was there, which had ended. */
  readonly previous: Hold | undefined;
  /** False: the answer to the take was lost. */
  readonly sure: boolean;
}

/** A change of a job that may have been taken ahead returns this long after its write. */
export const CHANGE_RETURNS_AFTER_MS = 1500;

const MOST_ROUNDS = 12;

/** Undefined where anything is out of the ordinary: the claim at its time decides. */
export async function takeAhead(
  context: Context,
  workerId: string,
  message: Message,
  { head, holderRow, definition }: Prepared,
): Promise<TakenAhead | undefined> {
  if (!isOrdinary(context, head, holderRow, message)) return undefined;
  const before = context.clock.monotonic();
  const hold = {
    ...newHold(context, message, workerId, head.hold, 1),
    startedAt: Math.max(message.fireAt, context.clock.now()),
  };
  const change = { hold, rowsUntil: message.due, stamp: hold.token };
  const taken: TakenAhead = {
    ...{ head: { ...head, ...change }, message, hold, before },
    ...{ place: 'head', previous: head.hold, sure: true, definition },
  };
  try {
    return (await writeHead(context, head, change)) ? taken : undefined;
  } catch (error) {
    // it may have been done: the look at its time, or giving it back, finds out
    context.log.debug('whether it was taken ahead is not known', { error: String(error) });
    return { ...taken, sure: false };
  }
}

/**
 * A first claim of a live occurrence, no row of which can exist, and nobody in the way. Not where one attempt is all there
 * is: of a worker that dies between take and start nobody knows whether it has started.
 */
function isOrdinary(context: Context, head: Head, holderRow: Row | undefined, message: Message): boolean {
  const { hold } = head;
  const free = !hold || (isTerminal(holderRow?.status) && holderRow?.fence === hold.token);
  const decidedUntil = head.coveredUntil ? laterDue(head.rowsUntil, head.coveredUntil) : head.rowsUntil;
  return (
    free &&
    head.overlap !== 'allow' &&
    head.retry.maxAttempts > 1 &&
    message.revision !== BY_HAND &&
    isLive(head, message) &&
    !isLate(context, head, message) &&
    (decidedUntil === undefined || message.due > decidedUntil)
  );
}

/** So late that its misfire policy decides. */
const isLate = (context: Context, head: Head, message: Message): boolean => {
  const { kind, coveredUntil, mustRun } = misfireOf(context, head, message);
  return kind !== 'none' || coveredUntil !== undefined || mustRun === true;
};

/**
 * From the fire time on. A take that is longer ago is looked at once more: a change may have returned since, or so much time
 * have passed that its misfire policy decides. AGAIN: it is no longer ours, claim it as any other.
 */
export async function startTaken(context: Context, taken: TakenAhead): Promise<Claim> {
  const { store, clock } = context;
  const { jobId } = taken.head;
  /** No change that came after that has returned yet. */
  const isRecent = (at: number) => clock.monotonic() - at < CHANGE_RETURNS_AFTER_MS;
  if (taken.sure && isRecent(taken.before)) return startNow(context, taken);
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const asked = clock.monotonic();
    const head = await store.readHead(jobId, { consistent: true });
    if (head?.hold?.token !== taken.hold.token) return AGAIN;
    if (head.hold.cancelRequested) return cancel(context, { ...taken, head });
    const live = isLive(head, taken.message);
    const late = isLate(context, head, taken.message);
    if (live && !late) {
      if (isRecent(asked)) return startNow(context, { ...taken, head });
      continue;
    }
    if (await putBack(context, head, taken)) return live ? AGAIN : DONE;
  }
  return AGAIN;
}

/**
 * The other side: whoever has changed a job (a cancel that was there already included) returns when what may have been
 * taken ahead of its time has started, or will look before it does. By two clocks that may be apart.
 */
export async function letStart(context: Context, hold: Hold | undefined): Promise<void> {
  if (!hold || hold.revision === BY_HAND || hold.attempt > 1) return;
  const { clock, settings } = context;
  const startsBy = hold.startedAt + settings.clockSkewMs + CHANGE_RETURNS_AFTER_MS;
  if (clock.now() < startsBy) await clock.sleep(CHANGE_RETURNS_AFTER_MS);
}

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

const startNow = (context: Context, taken: Taken): Claim =>
  start(context, { ...taken, hold: { ...taken.hold, startedAt: context.clock.now() } }, undefined);

async function cancel(context: Context, { head, hold, message }: Taken): Promise<Claim> {
  const row: Row = {
    ...newRow(head, message.due, message.revision, 'CANCELLED'),
    fence: hold.token,
    attempt: 0,
    reason: 'cancelled before it started',
    finishedAt: context.clock.now(),
  };
  if (!(await writeFenced(context, undefined, row))) return AGAIN;
  await ended(context, head, message, row);
  return DONE;
}

/** This worker will not run it, so that any other may. If the store does not answer, the takeover is the backstop. */
export async function giveBack(context: Context, taken: TakenAhead): Promise<void> {
  const { store, clock, random, log } = context;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    try {
      const head = await store.readHead(taken.head.jobId, { consistent: true });
      if (head?.hold?.token !== taken.hold.token) return;
      if (head.hold.cancelRequested) return void (await cancel(context, { ...taken, head }));
      if (await putBack(context, head, taken)) return;
    } catch (error) {
      log.warn('a job could not be given back; trying again', {
        jobId: taken.head.jobId,
        error: String(error),
      });
    }
    await clock.sleep(random.float() * 50 * round);
  }
}

const putBack = (context: Context, head: Head, { previous }: TakenAhead): Promise<boolean> =>
  writeHead(context, head, { hold: previous, stamp: context.random.id(12) });
