// Pause and resume of a job. The order of writes is entries and the record of the change, then head, then messages.
import { InvalidInput } from '../domain/errors.ts';
import type { Head } from '../domain/jobs/job.ts';
import type { Principal } from '../domain/principal.ts';
import type { JobView } from '../domain/views/resource-schemas.ts';
import { isPaused } from '../domain/views/views.ts';
import { awaitStarts } from '../scheduling/claiming/await-starts.ts';
import type { Context } from '../scheduling/context.ts';
import { freshRevision, plan } from '../scheduling/planning/plan-revision.ts';
import { writerDeadline } from '../scheduling/records/writer-deadline.ts';
import { bytesOfRecord, type ChangeOptions, changeJob } from './change-records.ts';
import { refuseEnded, viewOfJob } from './job-state.ts';

export interface PauseOptions extends ChangeOptions {
  /** Epoch milliseconds at which the job resumes. Undefined if the pause lasts until a resume request. */
  readonly until?: number | undefined;
}

export function requireFuture(until: number | undefined, now: number): void {
  if (until === undefined || until > now) return;
  const [given, current] = [until, now].map((time) => new Date(time).toISOString());
  throw new InvalidInput([
    { path: 'until', message: `must be in the future (it is ${current}), got ${given}` },
  ]);
}

/**
 * Withdraws every occurrence that has not started, also overdue and waiting ones. Running and retrying executions continue.
 * With `until`, the occurrences after it are planned now under a new revision, so no timer has to resume the job.
 */
export async function pauseJob(
  context: Context,
  who: Principal,
  jobId: string,
  options: PauseOptions = {},
): Promise<JobView> {
  return viewOfJob(context, who, await pause(context, who, jobId, options));
}

/** Pauses a job without reading its definition. */
export async function pause(
  context: Context,
  who: Principal,
  jobId: string,
  { until, takeBytes, ...options }: PauseOptions,
): Promise<Head> {
  const t0 = context.clock.now();
  requireFuture(until, t0);
  const inTime = writerDeadline(context);
  let send: (() => Promise<void>) | undefined;
  const { head, changed } = await changeJob(
    context,
    { who, jobId, what: 'paused', ...options },
    async (seen) => {
      refuseEnded(seen, 'paused');
      if (until === undefined) {
        if (seen.status === 'paused') return undefined;
        return { set: { status: 'paused', pausedUntil: undefined } };
      }
      if (seen.status === 'active' && seen.pausedUntil === until) return undefined;
      // the first pause is never refused, and the resume counts for both
      if (isPaused(seen, t0)) await takeBytes?.(seen.userId, bytesOfRecord(options.note));
      const revision = freshRevision(context);
      send = await plan(context, { ...seen, revision, pausedUntil: until }, t0, { refuseSearch: false });
      return {
        set: { status: 'active', revision, pausedUntil: until },
        inTime,
      };
    },
  );
  if (changed) await send?.();
  await awaitStarts(context, jobId);
  return head;
}

/** Plans the occurrences from now on under a new revision. Occurrences that were due during the pause never run. */
export async function resumeJob(
  context: Context,
  who: Principal,
  jobId: string,
  options: ChangeOptions = {},
): Promise<JobView> {
  return viewOfJob(context, who, await resume(context, who, jobId, options));
}

/** Resumes a job without reading its definition. */
export async function resume(
  context: Context,
  who: Principal,
  jobId: string,
  { takeBytes, ...options }: ChangeOptions,
): Promise<Head> {
  const t0 = context.clock.now();
  const inTime = writerDeadline(context);
  let send: (() => Promise<void>) | undefined;
  const { head, changed } = await changeJob(
    context,
    { who, jobId, what: 'resumed', ...options },
    async (seen) => {
      refuseEnded(seen, 'resumed');
      if (seen.status === 'active' && !isPaused(seen, t0)) return undefined;
      await takeBytes?.(seen.userId, 2 * bytesOfRecord(options.note));
      const revision = freshRevision(context);
      send = await plan(context, { ...seen, revision, pausedUntil: undefined }, t0, {
        refuseSearch: false,
      });
      return { set: { status: 'active', revision, pausedUntil: undefined }, inTime };
    },
  );
  if (changed) await send?.();
  return head;
}
