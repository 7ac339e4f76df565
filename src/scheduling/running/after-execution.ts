// What follows the end of an execution: a one-time job is completed, and whoever waits for the hold is woken.

import { RETRY_NOW, retryConflicts } from '../../concurrency/retry-conflicts.ts';
import { ownerHash } from '../../domain/digest.ts';
import { type DueKey, dueAtOf, isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row, type TerminalStatus } from '../../domain/executions/row.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { fireAt } from '../../domain/schedule/occurrences.ts';
import type { Message } from '../../queue/queue.ts';
import { SHORT_RUN_MS } from '../claiming/holds.ts';
import type { Context } from '../context.ts';
import { writeHead } from '../records/write-head.ts';

export async function afterExecution(
  context: Context,
  head: Head,
  message: Message,
  row: Row,
): Promise<void> {
  if (!isTerminal(row.status)) return;
  if (row.once && message.revision === row.revision)
    await completeOnce(context, head, row.revision, row.status);
  await wakeNext(context, head, row);
}

/** If the conflicts go on for longer, settle completes the job. */
const COMPLETE_RETRY = { maxRounds: 10, pauseMs: 0 };

/**
 * A one-time job is over when its own occurrence is: only while the head still has the revision that planned it, or an
 * edit during the run, or a run-now, would swallow the new occurrence [H5, H5b]. Settle calls it too [H6].
 */
export async function completeOnce(
  context: Context,
  seen: Head | undefined,
  revision: string,
  end: TerminalStatus,
): Promise<void> {
  let current = seen;
  await retryConflicts(context, COMPLETE_RETRY, async () => {
    const head = current;
    if (!head) return;
    if (head.status !== 'active' || head.revision !== revision) return;
    const status = end === 'FAILED' ? 'failed' : 'completed';
    const change = {
      status,
      version: head.version + 1,
      updatedAt: context.clock.now(),
      changedAt: head.updatedAt, // no change by a person: it has no record
      stamp: context.random.id(12),
    } as const;
    if (await writeHead(context, head, change)) return;
    current = await context.store.readHead(head.jobId, { consistent: true });
    return RETRY_NOW;
  });
}

/** How many rows on either side of the finished one are looked at for somebody waiting. */
const LOOK_AT = 10;
/**
 * And beyond, where occurrences wait for each other. A backlog does not come in order: one that began to wait while a much later
 * one ran has given up its message, and behind many that have run there may be others. Usually there are no later rows at
 * all; of the earlier ones more are read only by who was late itself.
 */
const PAGE = 100;
const PAGES_AFTER = 10;
const PAGES_BEFORE = 4;
const LATE_MS = 5_000;
/** It started, or ended without a start, long after its time. */
const isLate = ({ due, startedAt, finishedAt = 0 }: Row): boolean =>
  (startedAt ?? finishedAt) - dueAtOf(due) > LATE_MS;

/** Nobody can have waited for it longer than until they ask again. */
const isShort = ({ status, attempt, startedAt = 0, finishedAt = 0 }: Row): boolean =>
  status === 'SUCCEEDED' && attempt === 1 && finishedAt - startedAt < SHORT_RUN_MS;

/** The job's occurrences wait for each other without a message of their own; each end wakes the next. */
export const takeTurns = ({ overlap, misfire }: Head): boolean =>
  overlap === 'queue' || (overlap === 'skip' && misfire.policy === 'runAll');

/**
 * Sends an execution that waits for the hold. Settle is the backstop. Nothing after a short run, else 0.5 RRU; where
 * occurrences wait for each other (`overlap: queue`, misfire `runAll`) 1 or 2, because they may have come in any order: the
 * older ones go first. Some 40 where the run was late and nobody is found near it.
 */
async function wakeNext(context: Context, head: Head, row: Row): Promise<void> {
  if (head.overlap === 'allow') return;
  const inTurn = takeTurns(head);
  if (!inTurn && isShort(row) && head.note?.status !== 'WAITING') return;
  const before = inTurn ? (isLate(row) ? PAGES_BEFORE : 1) : 0;
  await wake(context, head, row.due, { before, after: inTurn ? PAGES_AFTER : 1 });
}

/**
 * The turn goes on from an execution that will not use it while nobody holds the job: its worker died between the end and
 * the wake, it was withdrawn while it waited, or a job that was taken ahead was put back. Without this the occurrences
 * that wait would stand until settle comes by. Some 40 RRU; nothing where occurrences do not wait for each other.
 */
export async function passTurn(context: Context, head: Head, due: DueKey): Promise<void> {
  if (takeTurns(head)) await wake(context, head, due, { before: PAGES_BEFORE, after: PAGES_AFTER });
}

async function wake(
  context: Context,
  head: Head,
  due: DueKey,
  pages: { readonly before: number; readonly after: number },
): Promise<void> {
  const after = { from: `${due}!`, newestFirst: false }; // the first key after this one ('!' sorts before '-')
  const before = { to: due, newestFirst: true };
  const waiting =
    (await firstWaiting(context, head, before, pages.before)) ??
    (await firstWaiting(context, head, after, pages.after));
  if (!waiting) return;
  const now = context.clock.now();
  await context.queue.send([
    {
      jobId: head.jobId,
      due: waiting.due,
      revision: waiting.revision,
      // not `now`: by the clock of who takes it, its time may not have come yet
      fireAt: isManual(waiting)
        ? Math.min(now, dueAtOf(waiting.due))
        : fireAt(head.schedule, head.jobId, dueAtOf(waiting.due)),
      enqueuedAt: now,
      owner: ownerHash(head.userId),
    },
  ]);
}

/**
 * In the given order; of a page's, the oldest. Where none waits, one that is RUNNING: nobody holds the job, so it was fenced
 * after its taker's lease and has not started. (Or somebody has taken it just now; then the message is one too many.)
 */
async function firstWaiting(
  { store }: Context,
  head: Head,
  range: { from?: DueKey; to?: DueKey; newestFirst: boolean },
  pages: number,
): Promise<Row | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const limit = page === 0 ? LOOK_AT : PAGE;
    const consistent = head.overlap === 'queue';
    const { items, next } = await store.listRows(head.jobId, { ...range, limit, cursor, consistent });
    const oldestFirst = range.newestFirst ? items.toReversed() : items;
    const waiting =
      oldestFirst.find(({ status }) => status === 'WAITING' || status === 'QUEUED') ??
      oldestFirst.find(({ status }) => status === 'RUNNING');
    if (waiting || next === undefined) return waiting;
    cursor = next;
  }
  return undefined;
}
