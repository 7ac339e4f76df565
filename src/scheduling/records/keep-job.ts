// The expiry of a job. It stands in the head and in what is beside it: definitions, changes, the name. Nothing expires before the
// head, and the head expires after the rows of its executions, because a view of an execution reads it.
import type { Head } from '../../domain/jobs/job.ts';
import { endOfJob, isLateFor } from '../../domain/jobs/job-end.ts';
import type { Context } from '../context.ts';

/** Keeps a job that has ended for an execution at this time: a run by hand, or one that has ended days later than planned. */
export async function keepJobFor({ store }: Context, head: Head, time: number): Promise<void> {
  if (!isLateFor(endOfJob(head), time)) return;
  await store.expireBeside(head, time);
  // a change that is faster sets a later expiry
  await store.keepHead(head, time);
}

/** Lets what stands beside a head expire with it. If the head was changed in between, the later change counts. */
export async function expireWith({ store }: Context, head: Head): Promise<void> {
  for (let seen = head; ; ) {
    await store.expireBeside(seen, endOfJob(seen));
    const now = await store.readHead(seen.jobId, { consistent: true });
    if (!now || now.version === seen.version) return;
    seen = now;
  }
}
