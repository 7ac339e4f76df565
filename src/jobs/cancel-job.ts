// Cancel of a job. The head is written first, then the hold items of concurrent executions.
import type { Principal } from '../domain/principal.ts';
import { awaitEarlyStart } from '../scheduling/claiming/change-returns.ts';
import { requestCancelOfAll } from '../scheduling/claiming/request-cancel.ts';
import type { Context } from '../scheduling/context.ts';
import { type ChangeOptions, changeJob } from './change-records.ts';

/** Stops future executions of the job and requests the cancel of running ones. A second cancel changes nothing. */
export async function cancelJob(
  context: Context,
  who: Principal,
  jobId: string,
  options: ChangeOptions = {},
): Promise<void> {
  const { head } = await changeJob(context, { who, jobId, what: 'cancelled', ...options }, (seen) => {
    if (seen.status === 'cancelled') return undefined;
    const hold = seen.hold && { hold: { ...seen.hold, cancelRequested: true } };
    return { set: { status: 'cancelled', ...hold } };
  });
  await requestCancelOfAll(context, head);
  await awaitEarlyStart(context, head);
}
