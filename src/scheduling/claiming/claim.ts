// The claim of an execution: read, decide, open the row, take the lock (docs/protocol.md#claim). A first attempt, a retry, a
// takeover and a run by hand are the same steps.
import { CONFLICT, RETRY_NOW, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import { ownerHash } from '../../domain/digest.ts';
import { withAttempt } from '../../domain/executions/attempts.ts';
import { dueAtOf, isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row, type RowSeen } from '../../domain/executions/row.ts';
import type { KeyLimit } from '../../domain/jobs/concurrency-key.ts';
import { type Head, isLockOf } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { ClaimWrites } from '../../store/store.ts';
import { type Context, isClockRight } from '../context.ts';
import { regularEntry } from '../planning/plan.ts';
import { findDefinition } from '../records/definitions.ts';
import { newRow, writeRow } from '../records/write-row.ts';
import { afterExecution } from '../running/after-execution.ts';
import type { Claimed, ClaimResult } from './claim-result.ts';
import { type ClaimFacts, type Decision, decideClaim, type RowChange } from './decide-claim.ts';
import { comeBackAt, isBehind, isOlderUndecided, isSentAgain, keepPlace, wakeNext } from './line.ts';
import { isCoverInFuture } from './misfire.ts';
import { type FreeSeat, findSeat, keyLimitOf, waitForSeat } from './seats.ts';

/** If the conflicts go on for longer, the message comes back later. */
const CLAIM_RETRY = { maxRounds: 12, pauseMs: 20 };

/** The facts of a claim, and when the first of them was read. */
interface Read {
  readonly facts: ClaimFacts;
  /** Monotonic. A start must follow within START_WINDOW. */
  readonly readAt: number;
  readonly sure: boolean;
}

export async function claim(context: Context, workerId: string, message: Message): Promise<ClaimResult> {
  let sure = false;
  const result = await retryConflicts(context, CLAIM_RETRY, async () => {
    const read = await readFacts(context, message, sure);
    const decision = decideClaim(read.facts);
    const mustBeSure = /* [rule decide-sure] */ decision.do !== 'claim' || decision.surely;
    if (mustBeSure && !sure) {
      sure = true;
      return RETRY_NOW;
    }
    sure = true;
    return carryOut(context, workerId, message, read, decision);
  });
  return result === CONFLICT ? { kind: 'later', at: context.clock.now() + 1000 } : result;
}

/**
 * Reads the clock, the own row, the head and the row of the lock, in this order if the reads are consistent: a lease that is over
 * by the clock is over in the row that is read after it. At most 2 RRU, and 3 if all reads are consistent.
 */
async function readFacts(context: Context, message: Message, sure: boolean): Promise<Read> {
  const { store, clock, settings, boot } = context;
  const { jobId, due } = message;
  const readAt = clock.monotonic();
  const now = clock.now();
  const row = await store.readRow(jobId, due, { consistent: sure });
  // with `overlap: allow` nothing checks the head later
  const head = await store.readHead(jobId, { consistent: /* [rule allow-reads-head] */ true });
  const { lock } = head ?? {};
  const other = head?.overlap !== 'allow' && lock && lock.due !== due ? lock : undefined;
  const lockRow = other && (await store.readRow(jobId, other.due, { consistent: sure }));
  const facts = {
    /* [rule clock-first] */ now,
    clockSkewMs: settings.clockSkewMs,
    boot,
    message,
    row,
    head,
    lockRow,
  };
  const isPlannedAgain = sure && head ? await isPlannedByOther(context, head, message, row) : false;
  const without = { ...facts, isPlannedAgain, isBehind: false };
  // the line matters only to what would be claimed
  const waitsInLine = head && decideClaim({ ...without, isBehind: true }).do === 'wait';
  return {
    facts: {
      ...without,
      isBehind: waitsInLine
        ? (!row && (await isOlderUndecided(context, head, due))) || (await isBehind(context, message, row))
        : false,
    },
    /* [rule window-from-read] */ readAt,
    sure,
  };
}

/** Whether the schedule in force has an entry for the due time of a withdrawn occurrence. 1 RRU. */
async function isPlannedByOther(
  { store }: Context,
  head: Head,
  message: Message,
  row: Row | undefined,
): Promise<boolean> {
  if (head.status !== 'active' || isManual(row ?? message) || isTerminal(row?.status)) return false;
  if (head.revision === message.revision || head.revision === row?.revision) return false;
  return store.hasEntry(regularEntry(head, dueAtOf(message.due)));
}

async function carryOut(
  context: Context,
  workerId: string,
  message: Message,
  read: Read,
  decision: Decision,
): Promise<ClaimResult | typeof CONFLICT | typeof RETRY_NOW> {
  const { facts } = read;
  const { head, row } = facts;
  if (!head) return { kind: 'drop' };
  if (wasClockCorrected(context, read)) return CONFLICT;
  switch (decision.do) {
    case 'end':
      // its worker may have died between the end and what follows it
      if (row && isTerminal(row.status)) await afterExecution(context, head, row);
      return { kind: 'drop' };
    case 'come back':
      return { kind: 'later', at: decision.at };
    case 'write':
      return writeDecision(context, facts, head, decision.change);
    case 'wait':
      return wait(context, facts, head);
    case 'claim':
      return openAndLock(context, workerId, message, read, head, decision.cover);
  }
}

/** Whether the clock was set since the facts were read. They are then facts of another time. */
function wasClockCorrected({ clock, settings }: Context, { facts, readAt }: Read): boolean {
  const passed = clock.monotonic() - readAt;
  return Math.abs(clock.now() - facts.now - passed) > settings.clockSkewMs / 2;
}

/** Writes what was decided about a row that does not run, and decides again if the row is open. */
async function writeDecision(
  context: Context,
  { message, row, now }: ClaimFacts,
  head: Head,
  change: RowChange,
): Promise<ClaimResult | typeof CONFLICT | typeof RETRY_NOW> {
  const base = row ?? newRow(head, message.due, revisionOf(head, message), 'QUEUED');
  const isLost = row?.status === 'RUNNING';
  const next: Row = { ...base, ...change, ...(isLost && lostFields(head, row, change, now)) };
  const seen = row && {
    status: row.status,
    number: row.number,
    ...(isLost && { leaseUntil: row.leaseUntil ?? 0 }),
  };
  if (!(await writeRow(context, seen, next))) return CONFLICT;
  if (!isTerminal(next.status)) return RETRY_NOW;
  await afterExecution(context, head, next);
  if (row?.status === 'QUEUED') await wakeNext(context, head, message.due);
  return { kind: 'drop' };
}

/** The attempt of a lost worker is kept if it counts. */
function lostFields(head: Head, row: Row, { attempt, error }: RowChange, now: number): Partial<Row> {
  const { startedAt = now, workerId = '', receivedAt } = row;
  const counts = attempt === row.attempt && (head.overlap === 'allow' || isLockOf(head, row));
  if (!counts) return {};
  const lost = { attempt: row.attempt, workerId, startedAt, finishedAt: now, ...(error && { error }) };
  return {
    ...withAttempt(row, { ...lost, ...(receivedAt !== undefined && { receivedAt }) }),
    ranMs: (row.ranMs ?? 0) + Math.max(0, now - startedAt),
  };
}

/** The row belongs to the schedule in force, also if the message is older. */
const revisionOf = ({ revision }: Head, message: Message): string =>
  isManual(message) ? message.revision : revision;

/** The execution stands in line as QUEUED, and its message comes back. */
async function wait(
  context: Context,
  { message, row, now }: ClaimFacts,
  head: Head,
): Promise<ClaimResult | typeof CONFLICT> {
  const { store } = context;
  if (row?.status === 'RETRYING')
    return { kind: 'later', at: comeBackAt(head, now, row.nextAttemptAt ?? now) };
  if (row?.queuedAt !== undefined) {
    if (isSentAgain(message, now)) return { kind: 'drop' };
    const isFirst = await keepPlace(context, message);
    return { kind: 'later', at: comeBackAt(head, now, row.queuedAt, isFirst) };
  }
  // [rule wait-first]
  await store.putWait({ jobId: head.jobId, due: message.due }, now);
  const base = row ?? newRow(head, message.due, revisionOf(head, message), 'QUEUED');
  const queued: Row = {
    ...base,
    ...{ enqueuedAt: base.enqueuedAt ?? message.enqueuedAt, queuedAt: now },
    reason: 'waits for the execution before it',
  };
  return (await writeRow(context, row && seenOf(row), queued))
    ? { kind: 'later', at: comeBackAt(head, now, now) }
    : CONFLICT;
}

async function openAndLock(
  context: Context,
  workerId: string,
  message: Message,
  { facts, readAt, sure }: Read,
  head: Head,
  cover: string | undefined,
): Promise<ClaimResult | typeof CONFLICT> {
  const { clock, settings } = context;
  const { row: seen } = facts;
  const isLate = () => /* [rule window] */ clock.monotonic() - readAt >= settings.startWindowMs;
  if (isLate()) return CONFLICT;
  const limit = keyLimitOf(head);
  const seat = limit && (await findSeat(context, limit, { consistent: sure }));
  if (limit && !seat) return waitForSeat(context, head, message);
  const mayHaveSaved = seen !== undefined && (seen.attempt > 0 || seen.firstStartedAt !== undefined);
  const [definition, checkpoint] = await Promise.all([
    findDefinition(context, head),
    mayHaveSaved ? context.store.readCheckpoint(message) : undefined,
  ]);

  const sentAt = clock.monotonic();
  const row = openedRow(context, workerId, message, facts, head, cover);
  const reserving = context.numbers?.reserve(row.number);
  if (reserving) await reserving;
  const claimed: Claimed = { head, message, row, seen, sentAt, definition, checkpoint, limit };
  const writes = writesOf(facts, head, row, cover, limit, seat);
  const answer = await claimConfirmed(context, claimed, writes);
  if (answer === 'refused') return CONFLICT;
  if (answer === 'done' && !isLate() && isClockRight(context)) return { kind: 'run', claimed };
  if (answer === 'done')
    context.log.warn('gave a claim back because the store was slow', { jobId: head.jobId, due: message.due });
  // [rule give-back]
  await giveBack(context, claimed, answer === 'done');
  return answer === 'opened' ? CONFLICT : { kind: 'later', at: clock.now() };
}

/** The row as RUNNING. Its number is larger than that of every claim before, also of other executions of the job. */
function openedRow(
  { clock, random, settings, boot, numbers }: Context,
  workerId: string,
  message: Message,
  { row: seen }: ClaimFacts,
  head: Head,
  cover: string | undefined,
): Row {
  const now = clock.now();
  const {
    nextAttemptAt: _,
    error: __,
    reason: ___,
    finishedAt: ____,
    receivedAt: _____,
    progress: ______,
    ...kept
  } = seen ?? newRow(head, message.due, revisionOf(head, message), 'QUEUED');
  return {
    ...kept,
    status: 'RUNNING',
    number: Math.max(
      now,
      /* [rule number-floor] */ numbers?.floor ?? 0,
      /* [rule number-of-lock] */ (head.lock?.number ?? 0) + 1,
      /* [rule number-of-row] */ kept.number + 1,
    ),
    leaseUntil: now + settings.leaseMs,
    claimId: random.id(12),
    was: seen?.status === 'RETRYING' ? 'RETRYING' : 'QUEUED',
    attempt: kept.attempt + 1,
    workerId,
    ...(boot !== undefined && { boot }),
    enqueuedAt: kept.enqueuedAt ?? message.enqueuedAt,
    ...(cover !== undefined && cover !== head.coveredUntil && { covers: true as const }),
    startedAt: now,
  };
}

function writesOf(
  { now, row: seen }: ClaimFacts,
  head: Head,
  row: Row,
  cover: string | undefined,
  limit: KeyLimit | undefined,
  seat: FreeSeat | undefined,
): ClaimWrites {
  const { due, number } = row;
  const taking = { seen: head, lock: { due, number }, coveredUntil: cover };
  const covers = cover !== head.coveredUntil || isCoverInFuture(now, head);
  return {
    seen: seen && seenOf(seen),
    row,
    seat:
      limit && seat
        ? {
            seen: seat.seen,
            seat: {
              owner: ownerHash(head.userId),
              key: limit.key,
              n: seat.n,
              jobId: head.jobId,
              due,
              number,
            },
          }
        : undefined,
    lock: head.overlap !== 'allow' || covers ? taking : undefined,
  };
}

const seenOf = ({ status, number }: Row): RowSeen => ({ status, number });

/** The answer of a claim, also if the response of one of its writes was lost. */
async function claimConfirmed(
  { store, log }: Context,
  { row }: Claimed,
  writes: ClaimWrites,
): Promise<'done' | 'refused' | 'opened'> {
  try {
    const answer = await store.claim(writes);
    // the SDK may have sent a write twice, and report the second answer
    if (answer !== 'refused') return answer;
  } catch (error) {
    log.debug('the result of a claim is unknown', { jobId: row.jobId, error: String(error) });
  }
  const found = await store.readRow(row.jobId, row.due, { consistent: true });
  if (found?.status !== 'RUNNING' || found.claimId !== row.claimId) return 'refused';
  if (writes.seat) {
    const { seat } = writes.seat;
    const taken = (await store.readSeats(seat, { consistent: true })).find(({ n }) => n === seat.n);
    if (taken?.jobId !== seat.jobId || taken.due !== seat.due || taken.number !== seat.number)
      return 'opened';
  }
  if (!writes.lock) return 'done';
  const head = await store.readHead(row.jobId, { consistent: true });
  return head && isLockOf(head, row) ? 'done' : 'opened';
}

const GIVE_BACK_RETRY = { maxRounds: 6, pauseMs: 50 };

/**
 * Makes the row what it was before a claim that does not start. The number stays. If the store does not answer, the lease ends,
 * and the next claim finds the lost row. `hasLock`: the head was written, so what the run covers is skipped.
 */
export async function giveBack(
  context: Context,
  { row, seen, head, message }: Claimed,
  hasLock = true,
): Promise<void> {
  const { number, jobId } = row;
  // without the error: the failure before it has been told and counted
  const { error: _, ...before } = seen ?? {
    ...newRow(head, message.due, row.revision, 'QUEUED'),
    enqueuedAt: message.enqueuedAt,
  };
  const { was = 'QUEUED' } = row;
  const { covers } = hasLock ? row : before;
  const next: Row = { ...before, status: was, number, ...(covers && { covers }) };
  await retryConflicts(context, GIVE_BACK_RETRY, async () => {
    try {
      await writeRow(context, { status: 'RUNNING', number }, next);
      return;
    } catch (error) {
      context.log.warn('failed to give a claim back; retrying', { jobId, error: String(error) });
      return CONFLICT;
    }
  });
}
