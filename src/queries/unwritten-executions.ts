// Executions without a row. A first attempt has no row until it ends, and a planned occurrence has none until it starts.
// Their views are derived from the hold or from the schedule.
import { type DueKey, dueKey } from '../domain/executions/ids.ts';
import type { Head, Hold } from '../domain/jobs/job.ts';
import { isRecurring, nextOccurrence } from '../domain/schedule/occurrences.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfHold, plannedExecution } from '../domain/views/views.ts';
import { isOver, isRowExpired } from '../scheduling/claiming/holds.ts';
import type { Context } from '../scheduling/context.ts';
import { isPlanned } from '../scheduling/planning/plan.ts';

/** False for an early claim whose fire time is still to come. */
export const hasStarted = ({ clock }: Context, hold: Hold): boolean => hold.startedAt <= clock.now();

/** Whether an execution with a hold and without a row runs. Retention has removed the row of one that ended long ago. */
export const isRunning = (context: Context, hold: Hold): boolean =>
  hasStarted(context, hold) && !isRowExpired(context, hold);

/** The executions of a job that run without a row. If there are none, the pending occurrence of a one-time job. */
export async function listUnwritten(context: Context, head: Head): Promise<ExecutionView[]> {
  const { store, clock, settings } = context;
  const live = clock.now() - settings.clockSkewMs;
  const concurrent = head.overlap === 'allow' ? await store.listHoldItems(head.jobId, live) : [];
  const holds = [...concurrent.map((i) => i.hold), ...(head.hold ? [head.hold] : [])].filter(
    // with `overlap: allow` the hold item of an ended execution stays for a while
    (h) => head.overlap !== 'allow' || !isOver(context, h),
  );
  const rows = await store.readRows(
    holds.map((h) => ({ jobId: head.jobId, due: h.due })),
    { consistent: true },
  );
  const written = new Set(rows.map((r) => r.due));
  const running = holds
    .filter((h) => !written.has(h.due) && isRunning(context, h))
    .sort((a, b) => (a.due < b.due ? 1 : -1));
  if (running.length > 0) return running.map((h) => executionOfHold(head, h));
  if (head.status !== 'active' || isRecurring(head.schedule)) return [];
  const due = nextOccurrence(head.schedule, 0);
  const isStarted = due === undefined || (await store.readRow(head.jobId, dueKey(due), { consistent: true }));
  return isStarted ? [] : [plannedExecution(head, dueKey(due), clock.now())];
}

/** One execution without a row. Undefined if it is neither held nor planned. */
export async function findUnwritten(
  context: Context,
  head: Head,
  due: DueKey,
): Promise<ExecutionView | undefined> {
  const hold = await holdFor(context, head, due);
  if (hold && isRunning(context, hold)) return executionOfHold(head, hold);
  return (await isPlanned(context, head, due)) ? plannedExecution(head, due, context.clock.now()) : undefined;
}

/** The hold of one execution. Undefined if no worker holds it. */
export async function holdFor({ store }: Context, head: Head, due: DueKey): Promise<Hold | undefined> {
  const hold = head.overlap === 'allow' ? (await store.readHoldItem(head.jobId, due))?.hold : head.hold;
  return hold?.due === due ? hold : undefined;
}
