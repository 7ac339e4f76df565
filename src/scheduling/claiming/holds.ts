// Holds: how one is made, when it is over, and whether it keeps others out (docs/protocol.md#does-a-hold-block-other-executions).
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import type { Definition, Head, Hold } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';

/** What a claim has read so far. */
export interface Found {
  readonly head: Head | undefined;
  /** Whether the head was read consistently. */
  readonly consistent: boolean;
  /** Of the execution that holds the job, if it was read ahead (eventually consistent). */
  readonly holderRow: Row | undefined;
  /** A definition of the job, if one was read ahead; the head says whether it is the one in force. */
  readonly definition: Definition | undefined;
}

/**
 * Who keeps its message while it waits comes back after as long as the holder has run by then, this at least and a
 * heartbeat at most; so a finish need not look for somebody to wake after a run that was shorter (docs/decisions/0003).
 */
export const SHORT_RUN_MS = 1_000;

/**
 * A holder that died is taken over within minutes, so one without a row after so long had ended: its row is gone by
 * retention (a day at least), and a job that runs once a quarter must not wait for it.
 */
const FORGOTTEN_MS = 86_400_000;

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
 * The holder's process is gone, or the lease has ended by every clock: its holder starts nothing any more. `at`: by our
 * clock, if not now. A row that is read after that moment shows every attempt that the holder can have started.
 */
export const isOver = ({ clock, settings, boot }: Context, hold: Hold, at = clock.now()): boolean =>
  (boot !== undefined && hold.boot !== boot) || at > hold.leaseUntil + settings.clockSkewMs;

/** The lease was extended since the take: heartbeats begin with the run. */
export const hasBeaten = ({ settings }: Context, hold: Hold): boolean =>
  hold.leaseUntil > hold.startedAt + settings.leaseMs;

/** Whether the held execution has ended. A terminal row with the hold's own fence stays so, so the read may be stale. */
export const hasEnded = (hold: Hold, row: Row | undefined): boolean =>
  isTerminal(row?.status) && row?.fence === hold.token;

/** The holder itself has put the row back: its lease does not matter (a 2 s backoff must not wait for it). */
export const hasLetGo = (hold: Hold, row: Row | undefined): boolean =>
  row !== undefined &&
  (row.status === 'QUEUED' || row.status === 'WAITING' || row.status === 'RETRYING') &&
  row.fence === hold.token;

/**
 * Does the hold of another execution keep this job's others out, and at least until when, if that is known? `ahead`: its
 * row, if an eventually consistent read gave one.
 */
export async function blocks(
  context: Context,
  head: Head,
  hold: Hold,
  ahead: Row | undefined,
): Promise<{ until: number } | undefined> {
  const { store } = context;
  if (hasEnded(hold, ahead ?? (await store.readRow(head.jobId, hold.due, { consistent: false }))))
    return undefined;
  const wasOver = isOver(context, hold);
  const row = await store.readRow(head.jobId, hold.due, { consistent: true });
  if (!row && context.clock.now() > hold.leaseUntil + FORGOTTEN_MS) return undefined;
  if (!row || row.status === 'RUNNING' || row.status === 'RETRYING')
    return { until: row?.nextAttemptAt ?? 0 };
  if (isTerminal(row.status)) return undefined;
  // QUEUED or WAITING again after /retry: it blocks only while somebody has taken it and is about to fence it [H2]
  const taken = !wasOver && row.fence !== hold.token;
  return taken ? { until: 0 } : undefined;
}
