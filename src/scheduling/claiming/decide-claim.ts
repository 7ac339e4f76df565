// The decision about an execution whose message has arrived. It is pure: it follows from the rows, the head and the clock
// (docs/protocol.md#decide).
import { dueAtOf, isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row, type RowStatus } from '../../domain/executions/row.ts';
import { type Head, isLockOf } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import { type Cover, fireTimeOf, misfireOf } from './misfire.ts';

/** What a claim has read, in this order: the clock, its own row, the head, the row of the execution that the lock names. */
export interface ClaimFacts {
  readonly now: number;
  /** The most by which two clocks differ. */
  readonly clockSkewMs: number;
  /** This start of an embedded server: no claim of another start is alive. Undefined if there are several processes. */
  readonly boot: string | undefined;
  readonly message: Message;
  readonly row: Row | undefined;
  readonly head: Head | undefined;
  /** Undefined if the lock names no other execution, or if its row was not found. */
  readonly lockRow: Row | undefined;
  /** Whether the schedule in force plans the due time, although its revision is not that of the message. */
  readonly isPlannedAgain: boolean;
  /** Whether an older execution of the job that waits in line is open. */
  readonly isBehind: boolean;
}

/** What becomes of a row. Fields that are not named stay. */
export type RowChange = Partial<Omit<Row, 'status'>> & { readonly status: RowStatus };

export type Decision =
  /** Nothing is left to do for the execution. */
  | { readonly do: 'end' }
  /** The message comes back. */
  | { readonly do: 'come back'; readonly at: number }
  /** The row changes, or is inserted, and the decision is repeated from there. */
  | { readonly do: 'write'; readonly change: RowChange }
  /** The execution waits for another one: its row becomes QUEUED, and the message comes back. */
  | { readonly do: 'wait' }
  /** `surely`: it rests on a row that was not found or is too old, so it counts only with consistent reads. */
  | { readonly do: 'claim'; readonly surely: boolean; readonly cover: Cover };

const END: Decision = { do: 'end' };

/** The first line that fits. A claim may rest on stale reads, because its writes check them. Every other decision may not. */
export function decideClaim(facts: ClaimFacts): Decision {
  const { now, message, row, head } = facts;
  if (!head || /* [rule terminal] */ isTerminal(row?.status)) return END;
  if (row?.status === 'RUNNING')
    return /* [rule lease-live] */ isLeaseOver(facts, row)
      ? { do: 'write', change: lostRow(facts, head, row) }
      : { do: 'come back', at: (row.leaseUntil ?? 0) + facts.clockSkewMs + 1 };
  if (/* [rule cancel-seen] */ row?.cancelRequested) return cancelled('cancelled by request', now);
  if (/* [rule job-cancelled] */ head.status === 'cancelled')
    return row ? cancelled('the job was cancelled', now) : END;

  const isFirst = row?.status !== 'RETRYING';
  const isByHand = isManual(row ?? message);
  if (isByHand && !row) return END;
  if (isFirst && !isByHand && /* [rule withdrawn] */ isWithdrawn(facts, head))
    return row ? cancelled('the job was withdrawn while this waited', now) : END;
  if (row?.status === 'RETRYING' && /* [rule backoff] */ now < (row.nextAttemptAt ?? 0))
    return { do: 'come back', at: row.nextAttemptAt ?? 0 };
  // the message may be of an earlier schedule, whose jitter was another
  const fires = isByHand ? 0 : fireTimeOf(head, message.due);
  if (isFirst && /* [rule early] */ now < fires) return { do: 'come back', at: fires };

  const misfire = misfireOf(facts, head, message.due);
  if (/* [rule missed] */ misfire.skips !== undefined) return skipped(misfire.skips, now);
  const occupied = occupies(facts, head);
  const queues = head.overlap === 'queue' || misfire.queues;
  if (occupied) {
    // others were skipped because this one runs
    const mayBeSkipped = !queues && !row?.covers;
    if (isFirst && !isByHand && head.overlap === 'skip' && mayBeSkipped) {
      // a lost worker runs nothing. Its execution ends or is retried first, and then it is known whether that one is in the way
      if (occupied.status === 'RUNNING' && isLeaseOver(facts, occupied))
        return { do: 'come back', at: now + LOOK_AGAIN_MS };
      return skipped(`overlap: the execution due ${iso(dueAtOf(occupied.due))} was still running`, now);
    }
    return { do: 'wait' };
  }
  // a RETRYING execution does not wait for an older one, which may wait for its lock
  if (/* [rule order-first-only] */ isFirst && queues && /* [rule order] */ facts.isBehind)
    return { do: 'wait' };
  // after an outage all missed occurrences stand in line before the oldest one starts
  // [rule missed-in-line]
  if (!row && misfire.queues) return { do: 'wait' };
  return { do: 'claim', surely: !isKnownFree(facts, head), cover: misfire.cover };
}

/** How soon a message comes back that waits for the takeover of another execution. */
const LOOK_AGAIN_MS = 1_000;

const iso = (time: number): string => new Date(time).toISOString();

const cancelled = (reason: string, now: number): Decision => ({
  do: 'write',
  change: { status: 'CANCELLED', reason, finishedAt: now },
});

const skipped = (reason: string, now: number): Decision => ({
  do: 'write',
  change: { status: 'SKIPPED', reason, finishedAt: now },
});

/** Whether the worker of a RUNNING row has lost it: by every clock its lease is over, or its process is gone. */
export const isLeaseOver = (
  { now, clockSkewMs, boot }: Pick<ClaimFacts, 'now' | 'clockSkewMs' | 'boot'>,
  row: Row,
): boolean =>
  (boot !== undefined && /* [rule boot] */ row.boot !== boot) ||
  now > (row.leaseUntil ?? 0) + /* [rule lease-skew] */ clockSkewMs;

/** A pause, an edit of the schedule or the end of the job has withdrawn the occurrence. */
const isWithdrawn = ({ message, row, isPlannedAgain }: ClaimFacts, head: Head): boolean =>
  head.status !== 'active' ||
  (head.revision !== message.revision && head.revision !== row?.revision && !isPlannedAgain);

/**
 * The row of another execution that has the lock and has not ended. A RUNNING row with a larger number than the lock's is a claim
 * that has not got the lock: the run that had it is over.
 */
function occupies({ message, lockRow }: ClaimFacts, head: Head): Row | undefined {
  if (head.overlap === 'allow' || !head.lock || head.lock.due === message.due) return undefined;
  const isOpen =
    lockRow?.status === 'RETRYING' || (lockRow?.status === 'RUNNING' && lockRow.number <= head.lock.number);
  return /* [rule busy] */ isOpen ? lockRow : undefined;
}

/** Whether the read row of the lock is at least as new as the lock. An older one may have been RUNNING since. */
const isKnownFree = ({ message, lockRow }: ClaimFacts, head: Head): boolean =>
  head.overlap === 'allow' ||
  !head.lock ||
  head.lock.due === message.due ||
  (lockRow !== undefined && /* [rule free-number] */ lockRow.number >= head.lock.number);

/**
 * What becomes of a row whose worker is lost. Without the lock it never started: it is what it was, and the attempt does not
 * count. With `overlap: allow` there is no lock to ask. Every attempt counts then, and a lost first attempt becomes QUEUED, so
 * that a pause withdraws it.
 */
function lostRow({ now }: ClaimFacts, head: Head, row: Row): RowChange {
  const hasStarted = head.overlap === 'allow' || /* [rule lost-unlocked] */ isLockOf(head, row);
  const attempt = hasStarted ? row.attempt : row.attempt - 1;
  const common = { attempt, leaseUntil: undefined, was: undefined };
  if (head.status === 'cancelled' || row.cancelRequested)
    return { ...common, status: 'CANCELLED', reason: 'cancelled while its worker was lost', finishedAt: now };
  if (!hasStarted) return { ...common, status: row.was ?? 'QUEUED', nextAttemptAt: now };
  const error = {
    name: 'WorkerLost',
    message: `the worker of attempt ${attempt} of ${row.maxAttempts} stopped answering`,
  };
  if (attempt >= row.maxAttempts) return { ...common, status: 'FAILED', error, finishedAt: now };
  const isFirst = /* [rule lost-first] */ head.overlap === 'allow' && attempt === 1;
  return { ...common, status: isFirst ? 'QUEUED' : 'RETRYING', error, nextAttemptAt: now };
}
