// Cancel of a job.
import type { Principal } from '../domain/principal.ts';
import { awaitStarts } from '../scheduling/claiming/await-starts.ts';
import type { Context } from '../scheduling/context.ts';
import { type ChangeOptions, changeJob } from './change-records.ts';

/** Stops future executions of the job. The heartbeats of running ones see it. A second cancel changes nothing. */
export async function cancelJob(
  context: Context,
  who: Principal,
  jobId: string,
  options: ChangeOptions = {},
): Promise<void> {
  await changeJob(context, { who, jobId, what: 'cancelled', ...options }, (seen) =>
    seen.status === 'cancelled' ? undefined : { set: { status: 'cancelled' } },
  );
  await awaitStarts(context, jobId);
}
