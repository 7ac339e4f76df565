// Note: a decision about an execution that nobody holds (skip, wait, misfire, cancel before the start, backfill).
// It is taken by one compare-and-set on the head; the row only records it. A bare insert would land after another
// worker had taken the execution: its live result would be thrown away, the next occurrence run beside it [H1].
import type { DueKey } from '../../domain/executions/ids.ts';
import type { Head, Note } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { writeHead } from './write-head.ts';
import { recordDecisionRow } from './write-row.ts';

/** The larger of two due keys; keys of run-nows (with a suffix) are never occurrences and do not count. */
export const laterDue = (a: DueKey | undefined, b: DueKey): DueKey => (a === undefined || b > a ? b : a);

export interface DecisionOptions {
  /** Throws when a writer's deadline is over: helping may have taken long. */
  inTime?(): void;
  /** The row of the note in `head` was seen: nobody needs help. */
  readonly isRecorded?: boolean;
}

/** The head as it is then. Undefined: the head has changed since it was read; read again and decide again. */
export async function recordDecision(
  context: Context,
  head: Head,
  decision: Omit<Note, 'at'>,
  { inTime, isRecorded = false }: DecisionOptions = {},
): Promise<Head | undefined> {
  // help: the decision about to be overwritten must have its row first
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
