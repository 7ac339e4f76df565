// Ledger rows: how a new one is made, and writes that recognise their own lost response.

import { type DueKey, dueAtOf, dueKey } from '../../domain/executions/ids.ts';
import { isTerminal, mayFollow, type Row, type RowStatus } from '../../domain/executions/row.ts';
import type { Head, Note } from '../../domain/jobs/job.ts';
import { isRecurring, nextOccurrence } from '../../domain/schedule/occurrences.ts';
import type { Context } from '../context.ts';
import { confirmWrite } from './confirm-write.ts';

export function newRow(head: Head, due: DueKey, revision: string, status: RowStatus): Row {
  return {
    jobId: head.jobId,
    due,
    userId: head.userId,
    status,
    revision,
    attempt: 0,
    maxAttempts: head.retry.maxAttempts,
    ...(isOnly(head, due) && { once: true as const }),
    ...(head.notifies && { notifies: head.notifies }),
  };
}

/** The job's only occurrence, also when it is run by backfill; a run-now never is. */
const isOnly = ({ schedule }: Head, due: DueKey): boolean =>
  !isRecurring(schedule) &&
  nextOccurrence(schedule, dueAtOf(due) - 1) === dueAtOf(due) &&
  due === dueKey(dueAtOf(due));

/** Step 3 of a note, by whoever gets there first: the row of a decision that stands in the head. */
export async function recordDecisionRow({ store }: Context, head: Head, note: Note): Promise<void> {
  const row = newRow(head, note.due, note.revision, note.status);
  await store.insertRow({
    ...row,
    reason: note.reason,
    ...(isTerminal(note.status) && { finishedAt: note.at }),
  });
}

/**
 * Inserts the row where there was none, or replaces the one seen (on condition of its status and fence). `row.fence` is
 * our token; a refused or failed write that finds it in the row, moved on from what was seen, was our own success; or an
 * earlier one of ours (a checkpoint whose answer never came), and then this one goes on top of it.
 */
export async function writeFenced(context: Context, seen: Row | undefined, row: Row): Promise<boolean> {
  const { store } = context;
  if (!mayFollow(seen?.status, row.status)) {
    throw new Error(`${row.jobId}.${row.due}: ${row.status} cannot follow ${seen?.status ?? 'no row'}`);
  }
  let earlier: Row | undefined;
  const written = await confirmWrite(
    () => (seen ? store.updateRow(seen, row) : store.insertRow(row)),
    async () => {
      const found = await store.readRow(row.jobId, row.due, { consistent: true });
      if (found?.fence !== row.fence || (seen?.fence === row.fence && found?.status === seen?.status))
        return false;
      if (found?.status === 'RUNNING' && row.status !== 'RUNNING') earlier = found;
      return true;
    },
  );
  if (!earlier) return written;
  return writeFenced(context, earlier, { ...row, checkpoint: row.checkpoint ?? earlier.checkpoint });
}
