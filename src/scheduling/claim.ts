// Claim of (job, due, revision | byHand) at fire time: who may run it, if anybody (PROTOCOL.md, Claim).
import { isTerminal, type Row } from '../domain/execution.ts';
import { BY_HAND, dueAtOf, dueKey } from '../domain/ids.ts';
import type { Head, Hold } from '../domain/job.ts';
import { isRecurring, latestOccurrence } from '../domain/schedule/occurrences.ts';
import { LONGEST_DELAY_MS, type Message } from '../queue/queue.ts';
import type { HoldPlace } from '../store/store.ts';
import { claimBeside } from './claim-beside.ts';
import type { Context } from './context.ts';
import { ended } from './ended.ts';
import { writeHead } from './head.ts';
import { blocks, type Found, isOver, letGo, newHold } from './holds.ts';
import { laterDue, note } from './note.ts';
import { newRow, recordNote, writeFenced } from './rows.ts';

/** An execution that is ours to run until the lease is over. */
export interface Claimed {
  readonly head: Head;
  readonly message: Message;
  readonly place: HoldPlace;
  readonly hold: Hold;
  /** The row as we have opened or fenced it; absent on the normal path, where finish inserts it. */
  readonly row: Row | undefined;
  /** By the monotonic clock, counted from before the take was sent. */
  readonly leaseEnd: number;
}

export type Claim =
  | { readonly kind: 'run'; readonly claimed: Claimed }
  /** Nothing to do (any more): the message may go. */
  | { readonly kind: 'done' }
  /** Look again then. */
  | { readonly kind: 'later'; readonly at: number }
  /** Something changed between two of our calls: start over. */
  | { readonly kind: 'again' }
  /** The answer rests on a read that may be stale: ask again consistently (PROTOCOL.md, Reads). */
  | { readonly kind: 'reread' };

export const DONE: Claim = { kind: 'done' };
export const AGAIN: Claim = { kind: 'again' };
const REREAD: Claim = { kind: 'reread' };

/** Enough for any contention that ends; what does not end comes back as a message. */
const MOST_ROUNDS = 12;

export interface Prepared {
  readonly head: Head;
  readonly holderRow: Row | undefined;
}

/** What a claim reads first, read ahead of the fire time: under the take's compare-and-set an early read is only a stale one. */
export async function prepare({ store }: Context, message: Message): Promise<Prepared | undefined> {
  const head = await store.readHead(message.jobId, { consistent: false });
  if (!head) return undefined;
  const other = head.hold && head.hold.due !== message.due ? head.hold : undefined;
  const holderRow = other && (await store.readRow(head.jobId, other.due, { consistent: false }));
  return { head, holderRow };
}

export async function claim(
  context: Context,
  workerId: string,
  message: Message,
  prepared?: Prepared,
): Promise<Exclude<Claim, { kind: 'again' | 'reread' }>> {
  const { store, clock, random } = context;
  let consistent = false;
  let ahead = prepared;
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const head = ahead?.head ?? (await store.readHead(message.jobId, { consistent }));
    const found: Found = { head, consistent, holderRow: ahead?.holderRow };
    ahead = undefined;
    const result =
      head?.overlap === 'allow'
        ? await claimBeside(context, workerId, message, head)
        : await claimAlone(context, workerId, message, found);
    if (result.kind !== 'again' && result.kind !== 'reread') return result;
    consistent = true;
    if (result.kind === 'again') await clock.sleep(random.float() * 20 * round);
  }
  return { kind: 'later', at: clock.now() + 1000 };
}

async function claimAlone(context: Context, workerId: string, given: Message, found: Found): Promise<Claim> {
  const { store, clock } = context;
  const { head, consistent } = found;
  if (!head) return consistent ? DONE : REREAD;
  const { due } = given;
  const byHand = given.revision === BY_HAND;

  // 1. the row, where there may be one
  let row: Row | undefined;
  if (byHand || (head.rowsUntil !== undefined && due <= head.rowsUntil)) {
    row = await store.readRow(head.jobId, due, { consistent: true });
    if (isTerminal(row?.status)) return DONE;
    if (!row && head.note?.due === due) {
      await recordNote(context, head, head.note);
      return AGAIN;
    }
    if (!row && byHand) return consistent ? DONE : REREAD;
  }
  const message = onBehalfOf(head, given, row);

  // 2. a duplicate must not cut the backoff [H9]
  if (row?.status === 'RETRYING' && clock.now() < (row.nextAttemptAt ?? 0)) {
    return { kind: 'later', at: row.nextAttemptAt ?? 0 };
  }

  // 3. held for this very execution
  const { hold } = head;
  if (hold?.due === due) {
    if (!letGo(hold, row) && !isOver(context, hold))
      return consistent ? { kind: 'later', at: leaseEnd(context, hold) } : REREAD;
    const unstarted = row?.status === 'QUEUED' || row?.status === 'WAITING';
    if (!unstarted) return takeOver(context, workerId, message, head, hold, row);
    if (hold.cancelRequested && row?.fence !== hold.token)
      return takeOver(context, workerId, message, head, hold, row);
  } else if (hold) {
    // 4. held for another
    const blocked = await blocks(context, head, hold, found.holderRow);
    if (blocked) return yieldTo(context, message, head, hold, row, consistent, blocked.until);
  }

  // 5. free
  return takeFree(context, workerId, message, head, row, consistent);
}

const leaseEnd = ({ settings }: Context, hold: Hold): number => hold.leaseUntil + settings.clockSkewMs + 1;

/** May a first claim start it: the job is active, and the schedule is still the one that planned it. */
export const isLive = (head: Head, message: Message): boolean =>
  head.status === 'active' && head.revision === message.revision;

/**
 * An open row says whose execution it is: a message that an edit has outlived must not end what waits under the schedule
 * in force, nor what was started by hand. Where the message is live and the waiting row is not, the message counts.
 */
export function onBehalfOf(head: Head, message: Message, row: Row | undefined): Message {
  if (!row || (row.status === 'WAITING' && isLive(head, message))) return message;
  return { ...message, revision: row.revision };
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
  const live = isLive(head, message);
  if (row || message.revision === BY_HAND || !live) {
    if (!consistent) return REREAD;
    const withdrawn = head.status === 'cancelled' || (row?.status === 'WAITING' && !live);
    if (row && withdrawn) return cancelOpen(context, row, 'the job was withdrawn while this waited');
    // what was started by hand keeps its message, and so does what waits for a later occurrence: a finish looks at few
    // rows before its own, and what loses its turn each time that settle sends it would wait for ever
    if (row && (message.revision === BY_HAND || due < hold.due)) {
      const now = clock.now();
      const at = Math.max(now + context.settings.heartbeatMs, Math.min(until, now + LONGEST_DELAY_MS));
      return { kind: 'later', at };
    }
    return DONE;
  }
  const misfire = misfireOf(context, head, message);
  // missed ones come all at once when a worker is back: with `runAll` they take turns, or they would skip each other
  const waits = head.overlap === 'queue' || misfire.mustRun;
  if (misfire.coveredUntil && hold.revision !== BY_HAND && hold.due > due) {
    // `runOnce`, and a later one runs already: it stands for all that were missed before it
    const missedBefore = Math.min(dueAtOf(hold.due) - 1, clock.now() - head.misfire.graceSeconds * 1000);
    const last = latestOccurrence(head.schedule, dueAtOf(due) - 1, missedBefore) ?? dueAtOf(due);
    const coveredUntil = dueKey(last);
    const rowsUntil = laterDue(head.rowsUntil, coveredUntil);
    await writeHead(context, head, { coveredUntil, rowsUntil, stamp: random.id(12) });
    return AGAIN;
  }
  if (misfire.reason || !waits) {
    const running = `overlap: the execution due ${new Date(dueAtOf(hold.due)).toISOString()} was still running`;
    const reason = misfire.reason ?? running;
    const noted = await note(context, head, { due, status: 'SKIPPED', reason, revision: message.revision });
    return noted ? DONE : AGAIN;
  }
  const reason = 'waits for the execution before it';
  if (!(await note(context, head, { due, status: 'WAITING', reason, revision: message.revision })))
    return AGAIN;
  // the holder may have finished, and looked for waiting rows, before ours was there
  const holderRow = await store.readRow(head.jobId, hold.due, { consistent: true });
  return isTerminal(holderRow?.status) ? AGAIN : DONE;
}

/** Ends an open row that nobody holds, on condition of what was seen. */
export async function cancelOpen({ store, clock }: Context, seen: Row, reason: string): Promise<Claim> {
  const row: Row = { ...seen, status: 'CANCELLED', reason, finishedAt: clock.now() };
  return (await store.updateRow(seen, row)) ? DONE : AGAIN;
}

/** Step 5: nobody is in the way. */
async function takeFree(
  context: Context,
  workerId: string,
  message: Message,
  head: Head,
  row: Row | undefined,
  consistent: boolean,
): Promise<Claim> {
  const { clock, store } = context;
  const { due } = message;
  // WAITING is a first claim too: it must not start after a pause has returned [H4]
  const first = !row || row.status === 'WAITING';
  if (first && !isLive(head, message)) {
    if (!consistent) return REREAD;
    return row ? cancelOpen(context, row, 'the job was withdrawn while this waited') : DONE;
  }
  // so is what a taker has fenced after its lease: others found the job free, and it did not start. Ended as in a takeover,
  // the head first: by now somebody may have taken it again
  const withdrawn = row?.status === 'RUNNING' && message.revision !== BY_HAND && !isLive(head, message);
  if (row && head.status === 'cancelled') return cancelOpen(context, row, 'the job was cancelled');

  let covers: string | undefined;
  if (!row && message.revision !== BY_HAND) {
    const misfire = misfireOf(context, head, message);
    if (misfire.kind === 'covered') {
      if (!consistent) return REREAD;
      await store.insertRow({
        ...newRow(head, due, message.revision, 'SKIPPED'),
        reason: misfire.reason,
        finishedAt: clock.now(),
      });
      return DONE;
    }
    if (misfire.kind === 'skip') {
      const noted = await note(context, head, {
        due,
        status: 'SKIPPED',
        reason: misfire.reason,
        revision: message.revision,
      });
      return noted ? DONE : AGAIN;
    }
    covers = misfire.coveredUntil;
  }

  const before = clock.monotonic();
  const hold = newHold(context, message, workerId, head.hold, row ? nextAttempt(row) : 1);
  const regular = message.revision !== BY_HAND;
  let rowsUntil = regular ? laterDue(head.rowsUntil, due) : head.rowsUntil;
  if (covers) rowsUntil = laterDue(rowsUntil, covers);
  const change = {
    hold,
    ...(rowsUntil && { rowsUntil }),
    ...(covers && { coveredUntil: covers }),
    stamp: hold.token,
  };
  if (!(await writeHead(context, head, change))) return AGAIN;
  const taken: Taken = { head: { ...head, ...change }, message, hold, before, place: 'head' };
  if (withdrawn) return takeRow(context, taken, row, row.attempt, true);
  return row ? fence(context, taken, row) : start(context, taken, undefined);
}

const STOOD_FOR = 'misfire: one run stood for all that were missed';

export type Misfire =
  | {
      readonly kind: 'none';
      /** Late, and one run stands for all up to here. */
      readonly coveredUntil?: string;
      /** Late, and to be run all the same. */
      readonly mustRun?: boolean;
      readonly reason?: undefined;
    }
  | {
      readonly kind: 'covered' | 'skip';
      readonly reason: string;
      readonly coveredUntil?: undefined;
      readonly mustRun?: undefined;
    };

/** What a first claim that comes late means. One-time jobs always run. */
export function misfireOf({ clock }: Context, head: Head, message: Message): Misfire {
  const { due } = message;
  if (head.coveredUntil !== undefined && due <= head.coveredUntil) {
    return { kind: 'covered', reason: STOOD_FOR };
  }
  const now = clock.now();
  const late = now - message.fireAt;
  if (!isRecurring(head.schedule) || late <= head.misfire.graceSeconds * 1000) return { kind: 'none' };
  if (head.misfire.policy === 'skip') {
    return {
      kind: 'skip',
      reason: `misfire: ${Math.round(late / 1000)} s late, ${head.misfire.graceSeconds} s allowed`,
    };
  }
  if (head.misfire.policy === 'runAll') return { kind: 'none', mustRun: true };
  return {
    kind: 'none',
    coveredUntil: dueKey(latestOccurrence(head.schedule, dueAtOf(due) - 1, now) ?? dueAtOf(due)),
  };
}

/** A hold that we have just been given; whether it can run is still open. */
export interface Taken {
  readonly head: Head;
  readonly message: Message;
  readonly hold: Hold;
  readonly place: HoldPlace;
  /** Monotonic time before the take was sent. */
  readonly before: number;
}

/** A row that is RUNNING and free was fenced too late: that attempt never began, and it counts once. */
export const nextAttempt = (row: Row): number => (row.status === 'RUNNING' ? row.attempt : row.attempt + 1);

/** Puts our token into the open row; refused: somebody was faster at the row, so the hold is let go. */
export async function fence(context: Context, taken: Taken, seen: Row): Promise<Claim> {
  const row = runningRow(context, taken, seen, nextAttempt(seen));
  return (await writeFenced(context, seen, row)) ? start(context, taken, row) : release(context, taken);
}

function runningRow({ clock }: Context, taken: Taken, seen: Row | undefined, attempt: number): Row {
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
async function release({ store, random }: Context, { head, hold, place }: Taken): Promise<Claim> {
  await store.heartbeat(head.jobId, place, hold.token, 0, random.id(12));
  return AGAIN;
}

/** Step 6: run only if the lease is still live, counted from before the take was sent. */
export function start({ clock, settings }: Context, taken: Taken, row: Row | undefined): Claim {
  const { head, message, hold, place, before } = taken;
  const leaseEnd = before + settings.leaseMs;
  if (clock.monotonic() >= leaseEnd - settings.clockSkewMs) {
    return { kind: 'later', at: clock.now() + settings.clockSkewMs * 2 };
  }
  return { kind: 'run', claimed: { head, message, hold, place, row, leaseEnd } };
}

/** Step 3, takeover: the holder is gone, or has let go for a retry. */
async function takeOver(
  context: Context,
  workerId: string,
  message: Message,
  head: Head,
  old: Hold,
  row: Row | undefined,
): Promise<Claim> {
  const before = context.clock.monotonic();
  const attempts = row ? row.attempt : old.attempt;
  const hold = {
    ...newHold(context, message, workerId, old, attempts + 1),
    cancelRequested: old.cancelRequested,
  };
  if (!(await writeHead(context, head, { hold, stamp: hold.token }))) return AGAIN;
  const taken: Taken = { head: { ...head, hold, stamp: hold.token }, message, hold, before, place: 'head' };
  return takeRow(context, taken, row, attempts, old.cancelRequested || head.status === 'cancelled');
}

/**
 * The second write of a takeover, always after the first: that one stops the heartbeat of the old holder, this one
 * refuses its finish.
 */
export async function takeRow(
  context: Context,
  taken: Taken,
  seen: Row | undefined,
  attempts: number,
  cancelled: boolean,
): Promise<Claim> {
  const maxAttempts = seen?.maxAttempts ?? taken.head.retry.maxAttempts;
  const running = runningRow(context, taken, seen, attempts + 1);
  if (!cancelled && attempts < maxAttempts) {
    return (await writeFenced(context, seen, running))
      ? start(context, taken, running)
      : release(context, taken);
  }
  const end: Row = cancelled
    ? {
        ...running,
        status: 'CANCELLED',
        attempt: attempts,
        reason: 'cancelled while its worker was lost',
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
  await ended(context, taken.head, taken.message, end);
  return DONE;
}
