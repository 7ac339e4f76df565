// When a change of a job (edit, pause, cancel) returns: once nothing that was claimed before it can start any more
// (docs/decisions/0029).
import type { Head, Hold } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { hasBeaten, isOver } from './holds.ts';

/**
 * A change of a job that may have an unstarted claim returns this long after its write. A worker starts a run only within this
 * long of sending the call that showed it the head, and looks again otherwise (start.ts).
 */
export const CHANGE_RETURNS_AFTER_MS = 1500;

/**
 * Called with the head as a change has left it. `overlap: allow`: the hold items of a job may be many, and any of them may be
 * a claim that has not started, so every change waits.
 */
export async function awaitEarlyStart(context: Context, head: Head): Promise<void> {
  if (head.overlap === 'allow') await context.clock.sleep(CHANGE_RETURNS_AFTER_MS);
  else if (head.hold) await awaitHoldStart(context, head.jobId, head.hold);
}

/** Waits unless it is certain that the holder has started, has ended, or cannot start any more. */
export async function awaitHoldStart(context: Context, jobId: string, hold: Hold): Promise<void> {
  if (isOver(context, hold) || hasBeaten(context, hold)) return;
  const row = await context.store.readRow(jobId, hold.due, { consistent: false });
  // the holder writes its fence with another status only when its run has ended
  if (row?.fence === hold.token && row.status !== 'RUNNING') return;
  await context.clock.sleep(CHANGE_RETURNS_AFTER_MS);
}
