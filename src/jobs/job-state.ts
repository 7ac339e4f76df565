// Checks of a job's status before a change, and the job as the API shows it after one.
import { Conflict } from '../domain/errors.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { Principal } from '../domain/principal.ts';
import type { JobView } from '../domain/views/resource-schemas.ts';
import { jobView, withOwner } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';
import { findDefinition } from '../scheduling/records/definitions.ts';
import { searchesOf } from '../scheduling/searches.ts';

const ENDED = ['cancelled', 'completed', 'failed'];

/** Throws Conflict if the job has ended. `verb` is a participle for the message, such as "paused". */
export function refuseEnded(head: Head, verb: string): void {
  if (ENDED.includes(head.status))
    throw new Conflict(`job ${head.jobId} is ${head.status} and cannot be ${verb}`);
}

/** Throws Conflict if the job is cancelled. A completed or failed job may still run manually. */
export function refuseCancelled(head: Head): void {
  if (head.status === 'cancelled')
    throw new Conflict(`job ${head.jobId} is cancelled and starts no more executions`);
}

export async function viewOfJob(context: Context, who: Principal, head: Head): Promise<JobView> {
  const definition = await findDefinition(context, head);
  return withOwner(
    who,
    jobView(head, definition, context.clock.now(), undefined, searchesOf(context)),
    head.userId,
  );
}
