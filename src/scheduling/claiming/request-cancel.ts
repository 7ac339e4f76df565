// Cancel requests for running executions. The request is written into the hold, and the next heartbeat of the worker reads it.
import { CONFLICT, REQUEST_RETRY, RETRY_NOW, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import type { DueKey } from '../../domain/executions/ids.ts';
import type { Head, Hold } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { isOver } from './holds.ts';

/**
 * Requests the cancel of all running executions of a job with `overlap: allow`. The head was written first, so a worker that
 * inserts its hold after this query sees the change.
 */
export async function requestCancelOfAll(context: Context, head: Head): Promise<void> {
  if (head.overlap !== 'allow') return;
  const { store, clock, settings } = context;
  // the worker that takes over an expired hold reads the head, and sees the change there
  for (const { due, hold } of await store.listHoldItems(head.jobId, clock.now() - settings.clockSkewMs)) {
    if (!isOver(context, hold)) await requestCancel(context, head.jobId, due);
  }
}

/** Requests the cancel of one execution. The result is its hold, and undefined if there is no hold item. */
export async function requestCancel(context: Context, jobId: string, due: DueKey): Promise<Hold | undefined> {
  const { store, random } = context;
  const requested = await retryConflicts(context, REQUEST_RETRY, async () => {
    const item = await store.readHoldItem(jobId, due);
    if (!item) return undefined;
    if (item.hold.cancelRequested) return item.hold;
    const change = { hold: { ...item.hold, cancelRequested: true }, stamp: random.id(12) };
    if (await store.updateHoldItem(jobId, due, item.stamp, change)) return change.hold;
    return RETRY_NOW;
  });
  if (requested === CONFLICT)
    throw new Error(`the hold of ${jobId}.${due} is written too often to request a cancel`);
  return requested;
}
