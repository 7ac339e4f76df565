// Recover: fills a queue that has lost its contents. It reads what settle would read minutes later and sends, at once,
// everything that a queue with all its messages would hold (docs/decisions/0033-recover.md).
//
// An execution that is accepted and has not ended stands in a slot that is not settled: as its own entry, or as a check
// that settle has written for it. So those slots name all of them.

import { ownerHash } from '../../domain/digest.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import { type Entry, FARTHEST_CHECK_MINUTES, minuteOf } from '../../domain/executions/slots.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Shard } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { firesAt, headsOf, holdOf, idOf, onePerExecution, rowsOf, slotPages } from './read-slot.ts';
import { isMoved } from './replan.ts';

const SLOTS_PER_TURN = 60;

interface Recovery {
  readonly shard: Shard;
  /**
   * The oldest WAITING occurrence of each job. Of those that nobody holds it alone is sent, because each end wakes the
   * next. While one is held, no other is woken.
   */
  readonly waiting: Map<string, Message>;
}

/**
 * Sends the messages of a shard's unfinished executions, page by page of its slots, and writes nothing: no cursor moves
 * and no lease is needed. A message too many is harmless, so this may run at any time and twice at once. What dispatch has
 * not reached yet it still sends itself.
 *
 * Cost: some 70 slots at 1 RRU, 0.5 RRU for the row of each entry, and 1 RRU for row and head of each that has not ended.
 */
export async function recoverShard(
  context: Context,
  shard: Shard,
  signal?: AbortSignal,
): Promise<{ sent: number }> {
  const { settledUntil, dispatchedUntil } = shard;
  const now = minuteOf(context.clock.now());
  // the last settle came before `dispatchedUntil`, and its checks are that far ahead at most
  const until = Math.min(now, dispatchedUntil + 1) + FARTHEST_CHECK_MINUTES;
  // beyond the cursor a writer may have sent its occurrences itself, and they may run already; later ones have not begun
  const begun = Math.max(dispatchedUntil, now + 1);
  const recovery: Recovery = { shard, waiting: new Map() };
  let sent = 0;
  for (let minute = settledUntil + 1; minute <= until && !signal?.aborted; minute++) {
    // the reads of an embedded store never yield to the event loop, and there may be thousands of slots
    if (minute % SLOTS_PER_TURN === 0) await context.clock.sleep(0);
    for await (const page of slotPages(context, minute, shard.shard)) {
      const entries = onePerExecution(page.filter((e) => minute <= begun || e.kind === 'check'));
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

/** Of an execution without a row: it counts, was decided and not recorded, or was taken by a worker that may be lost. */
async function mayRun(context: Context, head: Head, e: Entry, { dispatchedUntil }: Shard): Promise<boolean> {
  const live = head.status === 'active' && head.revision === e.revision;
  if (live && e.kind === 'check') return true;
  if (live && minuteOf(e.at) <= dispatchedUntil && !isMoved(context, head, e)) return true;
  return head.note?.due === e.due || (await holdOf(context, head, e)) !== undefined;
}

function messageOf({ clock }: Context, head: Head, e: Entry, row: Row | undefined): Message {
  const { jobId, due, revision } = e;
  const retryAt = row?.status === 'RETRYING' ? row.nextAttemptAt : undefined;
  const owner = ownerHash(head.userId);
  return { jobId, due, revision, fireAt: retryAt ?? firesAt(head, e), enqueuedAt: clock.now(), owner };
}
