// The steps after the end of an execution: a one-time job is completed, and the next execution that waits is woken.

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
    await completeOneTimeJob(context, head, row.revision, row.status);
  await wakeNext(context, head, row);
}

/** If the conflicts go on for longer, settle completes the job. */
const COMPLETE_RETRY = { maxRounds: 10, pauseMs: 0 };

/**
 * Completes a one-time job after its own occurrence, while the head has the revision that planned it. Else an edit during the
 * run, or a run-now, would swallow the new occurrence [H5, H5b]. Settle calls it too [H6].
 */
export async function completeOneTimeJob(
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
      changedAt: head.updatedAt, // not a person's change, so it has no record
      stamp: context.random.id(12),
    } as const;
    if (await writeHead(context, head, change)) return;
    current = await context.store.readHead(head.jobId, { consistent: true });
    return RETRY_NOW;
  });
}

/** Rows on the first page, on either side of the finished execution. */
const FIRST_PAGE_SIZE = 10;
/**
 * Rows on further pages, which are read only if occurrences wait for each other. A backlog is not claimed in order, so a waiting
 * execution may stand behind many that have run. Usually there are no later rows. Earlier ones are read after a late run only.
 */
const PAGE_SIZE = 100;
const MAX_PAGES_AFTER = 10;
const MAX_PAGES_BEFORE = 4;
const LATE_MS = 5_000;
/** Whether the execution started, or ended without a start, more than LATE_MS after its due time. */
const isLate = ({ due, startedAt, finishedAt = 0 }: Row): boolean =>
  (startedAt ?? finishedAt) - dueAtOf(due) > LATE_MS;

/** Whether the run was so short that executions which waited for it ask again anyway. */
const isShort = ({ status, attempt, startedAt = 0, finishedAt = 0 }: Row): boolean =>
  status === 'SUCCEEDED' && attempt === 1 && finishedAt - startedAt < SHORT_RUN_MS;

/** Whether the job's occurrences wait for each other without messages of their own. Each end wakes the next one. */
export const takeTurns = ({ overlap, misfire }: Head): boolean =>
  overlap === 'queue' || (overlap === 'skip' && misfire.policy === 'runAll');

/**
 * Sends the message of an execution that waits for the hold. If it is lost, settle sends another. The oldest goes first.
 * Cost: nothing after a short run, else 0.5 RRU. If occurrences wait for each other, 1 or 2 RRU, and about 40 after a late run
 * with no waiting execution near it.
 */
async function wakeNext(context: Context, head: Head, row: Row): Promise<void> {
  if (head.overlap === 'allow') return;
  const inTurn = takeTurns(head);
  if (!inTurn && isShort(row) && head.note?.status !== 'WAITING') return;
  const before = inTurn ? (isLate(row) ? MAX_PAGES_BEFORE : 1) : 0;
  await wake(context, head, row.due, { before, after: inTurn ? MAX_PAGES_AFTER : 1 });
}

/**
 * Passes the turn of an execution that does not use it while the job is free. Its worker died between the end and the wake, it
 * was withdrawn while it waited, or an early claim was undone. Without this, the waiting occurrences would stand until they are
 * settled. Cost: about 40 RRU, and nothing if occurrences do not wait for each other.
 */
export async function passTurn(context: Context, head: Head, due: DueKey): Promise<void> {
  if (takeTurns(head)) await wake(context, head, due, { before: MAX_PAGES_BEFORE, after: MAX_PAGES_AFTER });
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
      // not `now`: by the clock of the worker that claims it, that time may be in the future
      fireAt: isManual(waiting)
        ? Math.min(now, dueAtOf(waiting.due))
        : fireAt(head.schedule, head.jobId, dueAtOf(waiting.due)),
      enqueuedAt: now,
      owner: ownerHash(head.userId),
    },
  ]);
}

/**
 * The oldest waiting row of the first page that has one. If none waits, a RUNNING row: the job is free, so that row was fenced
 * after the lease of its worker and did not start. If it was claimed just now, the message is a harmless duplicate.
 */
async function firstWaiting(
  { store }: Context,
  head: Head,
  range: { from?: DueKey; to?: DueKey; newestFirst: boolean },
  pages: number,
): Promise<Row | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < pages; page++) {
    const limit = page === 0 ? FIRST_PAGE_SIZE : PAGE_SIZE;
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
