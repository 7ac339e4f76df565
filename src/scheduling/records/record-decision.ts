// Notes: decisions about executions without a hold (skip, wait, misfire, cancel before the start, backfill).
//
// One compare-and-set on the head decides, and the row only records it. A bare insert of a row could come after another worker's
// claim. That worker's result would be discarded, and the next occurrence would run beside it [H1].
import type { DueKey } from '../../domain/executions/ids.ts';
import type { Head, Note } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { writeHead } from './write-head.ts';
import { recordDecisionRow } from './write-row.ts';

/** The later of two due keys. The keys of run-nows, which have a suffix, are never passed to it. */
export const laterDue = (a: DueKey | undefined, b: DueKey): DueKey => (a === undefined || b > a ? b : a);

export interface DecisionOptions {
  /** Throws if the writer's deadline has passed. The row of the note before may have taken long. */
  inTime?(): void;
  /** Whether the note in `head` is known to have its row. */
  readonly isRecorded?: boolean;
}

/** The head with the new note. Undefined if the head has changed since it was read. */
export async function recordDecision(
  context: Context,
  head: Head,
  decision: Omit<Note, 'at'>,
  { inTime, isRecorded = false }: DecisionOptions = {},
): Promise<Head | undefined> {
  // the note that is about to be overwritten must have its row first
  if (head.note && head.note.due !== decision.due && !isRecorded)
    await recordDecisionRow(context, head, head.note);
  inTime?.();
  const written = { ...decision, at: context.clock.now() };
  const change = {
    note: written,
    rowsUntil: laterDue(head.rowsUntil, decision.due),
    stamp: context.random.id(12),
  };
  if (!(await writeHead(context, head, change))) return undefined;
  await recordDecisionRow(context, head, written);
  return { ...head, ...change };
}
