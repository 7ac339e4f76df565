// Recover: fills a queue that has lost its messages. It reads the slots that settle would read minutes later, and sends their
// messages at once (docs/decisions/0033-recover.md).
//
// Every execution that has not ended stands in a slot that is not settled: by its own entry, or by a check of settle.

import { isTerminal, type Row } from '../../domain/executions/row.ts';
import { type Entry, FARTHEST_CHECK_MINUTES, minuteOf } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Shard } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { messageOf } from './plan.ts';
import { firesAt, headsOf, idOf, onePerExecution, rowsOf, slotPages } from './read-slot.ts';
import { isMoved } from './replan.ts';

/** The reads of an embedded store are synchronous. After this many slots, other work gets its turn. */
const SLOTS_PER_YIELD = 60;

/**
 * Sends the messages of a shard's unfinished executions. It writes nothing and needs no lease. A duplicate message is harmless,
 * so it may run at any time, also concurrently. Slots that dispatch has not reached are left to dispatch.
 *
 * Cost: about 70 slots at 1 RRU, 0.5 RRU for the row of each entry, and 1 RRU for row and head of each unfinished execution.
 */
export async function recoverShard(
  context: Context,
  shard: Shard,
  signal?: AbortSignal,
): Promise<{ sent: number }> {
  const { settledUntil, dispatchedUntil } = shard;
  const now = minuteOf(context.clock.now());
  // settle writes no check further ahead than FARTHEST_CHECK_MINUTES
  const until = Math.min(now, dispatchedUntil + 1) + FARTHEST_CHECK_MINUTES;
  // beyond the cursor, a writer may have sent its occurrences itself. Those due by now may run already
  const lastDue = Math.max(dispatchedUntil, now + 1);
  let sent = 0;
  for (let minute = settledUntil + 1; minute <= until && !signal?.aborted; minute++) {
    if (minute % SLOTS_PER_YIELD === 0) await context.clock.sleep(0);
    for await (const page of slotPages(context, minute, shard.shard)) {
      const executions = page.filter((e) => e.kind !== 'search');
      const entries = onePerExecution(executions.filter((e) => minute <= lastDue || e.kind === 'check'));
      if (entries.length === 0) continue;
      const messages = await messagesOf(context, entries, shard);
      await context.queue.send(messages);
      sent += messages.length;
    }
  }
  return { sent };
}

async function messagesOf(context: Context, entries: readonly Entry[], shard: Shard): Promise<Message[]> {
  const rows = await rowsOf(context, entries); // rows first, then heads
  const unfinished = entries.filter((e) => !isTerminal(rows.get(idOf(e))?.status));
  const heads = await headsOf(context, unfinished);
  return unfinished.flatMap((e) => {
    const head = heads.get(e.jobId);
    const row = rows.get(idOf(e));
    return head && (row || mayRun(context, head, e, shard)) ? messageAgain(context, head, e, row) : [];
  });
}

/** Whether an execution without a row may run: the schedule in force has planned it, and dispatch has reached it. */
function mayRun(context: Context, head: Head, e: Entry, { dispatchedUntil }: Shard): boolean {
  if (head.status !== 'active' || head.revision !== e.revision) return false;
  return e.kind === 'check' || (minuteOf(e.at) <= dispatchedUntil && !isMoved(context, head, e));
}

function messageAgain({ clock }: Context, head: Head, e: Entry, row: Row | undefined): Message {
  const retryAt = row?.status === 'RETRYING' ? row.nextAttemptAt : undefined;
  return messageOf(head, e, retryAt ?? firesAt(head, e), clock.now());
}
