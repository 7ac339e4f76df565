// When a change of a job (edit, pause, cancel) returns: after every run that was claimed before it has started, or can no
// longer start (docs/decisions/0029).
import type { Head, Hold } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { hasBeaten, isOver } from './holds.ts';

/**
 * If a job may have a claim that has not started, its change returns this long after the write. A worker starts a run only
 * within this time of the call that showed it the head, and else reads again (confirm-start.ts).
 */
export const CHANGE_RETURNS_AFTER_MS = 1500;

/** Waits for claims that have not started. `head` is the head that the change has written. */
export async function awaitEarlyStart(context: Context, head: Head): Promise<void> {
  // any of the job's hold items may be a claim that has not started, and they may be many
  if (head.overlap === 'allow') await context.clock.sleep(CHANGE_RETURNS_AFTER_MS);
  else if (head.hold) await awaitHoldStart(context, head.jobId, head.hold);
}

/** Waits, unless the held execution certainly has started, has ended or cannot start any more. */
export async function awaitHoldStart(context: Context, jobId: string, hold: Hold): Promise<void> {
  if (isOver(context, hold) || hasBeaten(context, hold)) return;
  const row = await context.store.readRow(jobId, hold.due, { consistent: false });
  // a row with the fence of the hold and another status than RUNNING: the run has ended, or was cancelled before its start
  if (row?.fence === hold.token && row.status !== 'RUNNING') return;
  await context.clock.sleep(CHANGE_RETURNS_AFTER_MS);
}
