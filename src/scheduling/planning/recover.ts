// Recover: fills a queue that has lost its messages. It reads the slots that settle would read minutes later, and sends their
// messages at once (docs/decisions/0033-recover.md).
//
// Every execution that has not ended stands in a slot that is not settled: by its own entry, or by a check of settle.

import { ownerHash } from '../../domain/digest.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import { type Entry, FARTHEST_CHECK_MINUTES, minuteOf } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Shard } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { firesAt, headsOf, holdOf, idOf, onePerExecution, rowsOf, slotPages } from './read-slot.ts';
import { isMoved } from './replan.ts';

/** The reads of an embedded store are synchronous. After this many slots, other work gets its turn. */
const SLOTS_PER_YIELD = 60;

interface Recovery {
  readonly shard: Shard;
  /**
   * The oldest WAITING occurrence of each job. Of those without a hold only this one is sent, because each end wakes the next.
   */
  readonly waiting: Map<string, Message>;
}

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
  const recovery: Recovery = { shard, waiting: new Map() };
  let sent = 0;
  for (let minute = settledUntil + 1; minute <= until && !signal?.aborted; minute++) {
    if (minute % SLOTS_PER_YIELD === 0) await context.clock.sleep(0);
    for await (const page of slotPages(context, minute, shard.shard)) {
      const executions = page.filter((e) => e.kind !== 'search');
      const entries = onePerExecution(executions.filter((e) => minute <= lastDue || e.kind === 'check'));
      if (entries.length === 0) continue;
      const messages = await messagesOf(context, entries, recovery);
      await context.queue.send(messages);
      sent += messages.length;
    }
  }
  const { waiting } = recovery;
  await context.queue.send([...waiting.values()]);
  return { sent: sent + waiting.size };
}

async function messagesOf(
  context: Context,
  entries: readonly Entry[],
  { shard, waiting }: Recovery,
): Promise<Message[]> {
  const rows = await rowsOf(context, entries); // rows first, then heads
  const unfinished = entries.filter((e) => !isTerminal(rows.get(idOf(e))?.status));
  const heads = await headsOf(context, unfinished);
  const messages: Message[] = [];
  for (const e of unfinished) {
    const head = heads.get(e.jobId);
    const row = rows.get(idOf(e));
    if (!head || !(row || (await mayRun(context, head, e, shard)))) continue;
    const message = messageOf(context, head, e, row);
    const older = waiting.get(e.jobId);
    if (row?.status !== 'WAITING' || head.hold?.due === e.due) messages.push(message);
    else if (!older || message.due < older.due) waiting.set(e.jobId, message);
  }
  return messages;
}

/** Whether an execution without a row may run: it is current, named by the note, or held by a worker that may be lost. */
async function mayRun(context: Context, head: Head, e: Entry, { dispatchedUntil }: Shard): Promise<boolean> {
  const isCurrent = head.status === 'active' && head.revision === e.revision;
  if (isCurrent && e.kind === 'check') return true;
  if (isCurrent && minuteOf(e.at) <= dispatchedUntil && !isMoved(context, head, e)) return true;
  return head.note?.due === e.due || (await holdOf(context, head, e)) !== undefined;
}

function messageOf({ clock }: Context, head: Head, e: Entry, row: Row | undefined): Message {
  const { jobId, due, revision } = e;
  const retryAt = row?.status === 'RETRYING' ? row.nextAttemptAt : undefined;
  const owner = ownerHash(head.userId);
  return { jobId, due, revision, fireAt: retryAt ?? firesAt(head, e), enqueuedAt: clock.now(), owner };
}
