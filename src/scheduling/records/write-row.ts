// Rows of the ledger. Every write of a row's status goes through this file, which checks ROW_TRANSITIONS, except for claims
// (claiming/claim.ts). Notifications and metrics follow from the same writes: the runtimes hand in a store with `observeRows`.
import { type DueKey, dueAtOf, dueKey, MANUAL } from '../../domain/executions/ids.ts';
import { mayFollow, type Row, type RowSeen, type RowStatus } from '../../domain/executions/row.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { fireAt, isRecurring, nextOccurrence } from '../../domain/schedule/occurrences.ts';
import type { Context } from '../context.ts';
import { confirmWrite } from './confirm-write.ts';

export function newRow(head: Head, due: DueKey, revision: string, status: RowStatus): Row {
  const dueAt = dueAtOf(due);
  const firesAt = revision === MANUAL ? dueAt : fireAt(head.schedule, head.jobId, dueAt);
  return {
    jobId: head.jobId,
    due,
    userId: head.userId,
    status,
    number: 0,
    revision,
    attempt: 0,
    maxAttempts: head.retry.maxAttempts,
    ...(firesAt !== dueAt && { fireAt: firesAt }),
    ...(isOnly(head, due) && { once: true as const }),
    ...(head.notifies && { notifies: head.notifies }),
  };
}

/** Whether the due time is the job's only occurrence, also if a backfill runs it. A run-now is none. */
const isOnly = ({ schedule }: Head, due: DueKey): boolean =>
  !isRecurring(schedule) &&
  nextOccurrence(schedule, dueAtOf(due) - 1) === dueAtOf(due) &&
  due === dueKey(dueAtOf(due));

/**
 * Inserts a row, or replaces one on condition of what was read. False if another writer was faster. A write whose response was
 * lost is found by its content, which no other writer writes: each write of a state has a time or a number of its own.
 */
export async function writeRow(context: Context, seen: RowSeen | undefined, row: Row): Promise<boolean> {
  const { store } = context;
  if (!mayFollow(seen?.status, row.status))
    throw new Error(`${row.jobId}.${row.due}: ${row.status} cannot follow ${seen?.status ?? 'no row'}`);
  return confirmWrite(
    () => (seen ? store.updateRow(seen, row) : store.insertRow(row)),
    async () => isOwn(await store.readRow(row.jobId, row.due, { consistent: true }), row),
  );
}

/** Whether the stored row is what this write would have left. */
const isOwn = (found: Row | undefined, row: Row): boolean =>
  found?.status === row.status &&
  found.number === row.number &&
  found.attempt === row.attempt &&
  found.claimId === row.claimId &&
  found.finishedAt === row.finishedAt &&
  found.nextAttemptAt === row.nextAttemptAt &&
  found.queuedAt === row.queuedAt &&
  found.enqueuedAt === row.enqueuedAt;
