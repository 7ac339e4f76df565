// Executions without a row: occurrences that are planned and have not been claimed. Their views are derived from the schedule.
import { type DueKey, dueKey } from '../domain/executions/ids.ts';
import type { Head } from '../domain/jobs/job.ts';
import { isRecurring, nextOccurrence } from '../domain/schedule/occurrences.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { plannedExecution } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';
import { isPlanned } from '../scheduling/planning/plan.ts';

/** The pending occurrence of a one-time job. Empty for a recurring job, and if the occurrence has a row. */
export async function listPending({ store, clock }: Context, head: Head): Promise<ExecutionView[]> {
  if (head.status !== 'active' || isRecurring(head.schedule)) return [];
  const due = nextOccurrence(head.schedule, 0);
  const isWritten =
    due === undefined || (await store.readRow(head.jobId, dueKey(due), { consistent: true })) !== undefined;
  return isWritten ? [] : [plannedExecution(head, dueKey(due), clock.now())];
}

/** One execution without a row. Undefined if it is not planned. */
export const findPlanned = async (
  context: Context,
  head: Head,
  due: DueKey,
): Promise<ExecutionView | undefined> =>
  (await isPlanned(context, head, due)) ? plannedExecution(head, due, context.clock.now()) : undefined;
