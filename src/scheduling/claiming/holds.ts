// Holds: how one is created, when it is over, and whether it blocks others (docs/protocol.md#does-a-hold-block-other-executions).
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import type { Definition, Head, Hold } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';

/** The items that a claim has read so far. */
export interface Found {
  readonly head: Head | undefined;
  /** Whether the head was read consistently. */
  readonly consistent: boolean;
  /** The row of the execution that holds the job, read eventually consistently before the fire time. Undefined if not read. */
  readonly holderRow: Row | undefined;
  /** A definition that was read before the fire time. The head says whether it is still in force. */
  readonly definition: Definition | undefined;
}

/**
 * The shortest time after which an execution that waits and keeps its message asks again. A run that was shorter than this
 * therefore wakes no execution (docs/decisions/0003).
 */
export const SHORT_RUN_MS = 1_000;

/**
 * A hold without a row does not block this long after its lease. A dead holder is taken over within minutes, so the execution
 * has ended, and retention (a day at least) has removed its row. A job that runs once a quarter must not wait for it.
 */
const ROW_EXPIRED_MS = 86_400_000;

/** Whether a missing row says nothing about the held execution: retention may have removed it. */
export const isRowExpired = ({ clock }: Pick<Context, 'clock'>, hold: Hold): boolean =>
  clock.now() > hold.leaseUntil + ROW_EXPIRED_MS;

export function newHold(
  { clock, random, settings, boot }: Context,
  message: Message,
  workerId: string,
  previous: Hold | undefined,
  attempt: number,
): Hold {
  const now = clock.now();
  return {
    due: message.due,
    revision: message.revision,
    token: random.id(12),
    number: (previous?.number ?? 0) + 1,
    attempt,
    leaseUntil: now + settings.leaseMs,
    workerId,
    ...(boot !== undefined && { boot }),
    startedAt: now,
    cancelRequested: false,
  };
}

/**
 * Whether the holder's process is gone, or the lease has ended by every clock. The holder then starts nothing any more. A row
 * that is read after the time `at` shows every attempt that the holder can have started.
 */
export const isOver = ({ clock, settings, boot }: Context, hold: Hold, at = clock.now()): boolean =>
  (boot !== undefined && hold.boot !== boot) || at > hold.leaseUntil + settings.clockSkewMs;

/** Whether the lease was extended since the claim. Heartbeats begin with the run, so the run has started. */
export const hasBeaten = ({ settings }: Context, hold: Hold): boolean =>
  hold.leaseUntil > hold.startedAt + settings.leaseMs;

/** Whether the held execution has ended. A terminal row with the hold's own fence stays so, so the read may be stale. */
export const hasEnded = (hold: Hold, row: Row | undefined): boolean =>
  isTerminal(row?.status) && row?.fence === hold.token;

/**
 * The hold of another execution as it is put back when a claim is undone. Unless its execution has ended, it gets a new token
 * and an ended lease. Its holder may fence the row late, and with the old token that would count as an attempt that began.
 */
export function holdToRestore(context: Context, hold: Hold, row: Row | undefined): Hold {
  if (hasEnded(hold, row)) return hold;
  const { clock, random, settings } = context;
  const ended = clock.now() - settings.clockSkewMs - 1;
  return { ...hold, token: random.id(12), leaseUntil: Math.min(hold.leaseUntil, ended) };
}

/** Whether the holder itself has put the row back. Its lease does not count then: a 2 s backoff must not wait for 30 s. */
export const hasLetGo = (hold: Hold, row: Row | undefined): boolean =>
  row !== undefined &&
  (row.status === 'QUEUED' || row.status === 'WAITING' || row.status === 'RETRYING') &&
  row.fence === hold.token;

/**
 * Whether the hold of another execution blocks the job, and at least until when (0 if that is not known). Undefined if it does
 * not. `holderRow` is the row of that execution, if an eventually consistent read has found one.
 */
export async function blocks(
  context: Context,
  head: Head,
  hold: Hold,
  holderRow: Row | undefined,
): Promise<{ until: number } | undefined> {
  const { store } = context;
  if (hasEnded(hold, holderRow ?? (await store.readRow(head.jobId, hold.due, { consistent: false }))))
    return undefined;
  const wasOver = isOver(context, hold);
  const row = await store.readRow(head.jobId, hold.due, { consistent: true });
  if (!row && isRowExpired(context, hold)) return undefined;
  if (!row || row.status === 'RUNNING' || row.status === 'RETRYING')
    return { until: row?.nextAttemptAt ?? 0 };
  if (isTerminal(row.status)) return undefined;
  // QUEUED or WAITING again after a retry: it blocks only while a worker has claimed it and not yet fenced it [H2]
  const isAboutToFence = !wasOver && row.fence !== hold.token;
  return isAboutToFence ? { until: 0 } : undefined;
}
