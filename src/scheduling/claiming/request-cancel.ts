// Asks running executions to stop: the request stands in the hold, and the next heartbeat brings it.
import { CONFLICT, REQUEST_RETRY, RETRY_NOW, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import type { DueKey } from '../../domain/executions/ids.ts';
import type { Head, Hold } from '../../domain/jobs/job.ts';
import type { Context } from '../context.ts';
import { isOver } from './holds.ts';

/** overlap: allow. The withdrawal was written first, so a worker that inserts its hold after this query sees it. */
export async function requestCancelOfAll(context: Context, head: Head): Promise<void> {
  if (head.overlap !== 'allow') return;
  for (const { due, hold } of await context.store.listHoldItems(head.jobId)) {
    // who takes over what is over reads the head, and finds the withdrawal there
    if (!isOver(context, hold)) await requestCancel(context, head.jobId, due);
  }
}

/** The hold of its item, which is asked to stop now. Undefined: there is no item. */
export async function requestCancel(context: Context, jobId: string, due: DueKey): Promise<Hold | undefined> {
  const { store, random } = context;
  const asked = await retryConflicts(context, REQUEST_RETRY, async () => {
    const item = await store.readHoldItem(jobId, due);
    if (!item) return undefined;
    if (item.hold.cancelRequested) return item.hold;
    const change = { hold: { ...item.hold, cancelRequested: true }, stamp: random.id(12) };
    if (await store.updateHoldItem(jobId, due, item.stamp, change)) return change.hold;
    return RETRY_NOW;
  });
  if (asked === CONFLICT) throw new Error(`the hold of ${jobId}.${due} is written too often to be stopped`);
  return asked;
}
