// Rows of the ledger. Every write of a row's status goes through this file, which checks ROW_TRANSITIONS. Notifications and
// metrics follow from the same writes: the runtimes hand in a store with `observeRows` (publish-events.ts, with-metrics.ts).

import { type DueKey, dueAtOf, dueKey, MANUAL } from '../../domain/executions/ids.ts';
import { isTerminal, mayFollow, type Row, type RowStatus } from '../../domain/executions/row.ts';
import type { Head, Note } from '../../domain/jobs/job.ts';
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

/** Inserts a row. False if the execution has one. */
export function insertRow({ store }: Context, row: Row): Promise<boolean> {
  checkTransition(undefined, row);
  return store.insertRow(row);
}

/** Replaces a row, on condition of the status and fence that were read. False if another writer was faster. */
export function replaceRow({ store }: Context, seen: Row, row: Row): Promise<boolean> {
  checkTransition(seen, row);
  return store.updateRow(seen, row);
}

/**
 * Inserts or replaces a row with the caller's token as its fence. If the row already has this fence, the response to an
 * earlier write was lost. If that write was a checkpoint, this write replaces it.
 */
export async function writeFenced(context: Context, seen: Row | undefined, row: Row): Promise<boolean> {
  const { store } = context;
  checkTransition(seen, row);
  let checkpoint: Row | undefined;
  const written = await confirmWrite(
    () => (seen ? store.updateRow(seen, row) : store.insertRow(row)),
    async () => {
      const found = await store.readRow(row.jobId, row.due, { consistent: true });
      const isUnchanged = seen?.fence === row.fence && found?.status === seen?.status;
      if (found?.fence !== row.fence || isUnchanged) return false;
      if (found?.status === 'RUNNING' && row.status !== 'RUNNING') checkpoint = found;
      return true;
    },
  );
  if (!checkpoint) return written;
  return writeFenced(context, checkpoint, { ...row, checkpoint: row.checkpoint ?? checkpoint.checkpoint });
}

/** Inserts the row of a decision in the head, if it has none yet (docs/protocol.md#note, step 3). */
export async function recordDecisionRow(context: Context, head: Head, note: Note): Promise<void> {
  const row = newRow(head, note.due, note.revision, note.status);
  await insertRow(context, {
    ...row,
    reason: note.reason,
    ...(note.status === 'QUEUED' && { fireAt: note.at, trigger: 'backfill' as const }),
    ...(isTerminal(note.status) && { finishedAt: note.at }),
  });
}

function checkTransition(seen: Row | undefined, row: Row): void {
  if (mayFollow(seen?.status, row.status)) return;
  throw new Error(`${row.jobId}.${row.due}: ${row.status} cannot follow ${seen?.status ?? 'no row'}`);
}
