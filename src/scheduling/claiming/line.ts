// The line of a job: its executions that wait for another one. A `wait` item is written before the row becomes QUEUED, and
// removed by whoever finds that the row is open no more. So the oldest one is found by one query, however long the history.
import { type DueKey, dueAtOf, dueKey, isManual } from '../../domain/executions/ids.ts';
import { isTerminal, type Row } from '../../domain/executions/row.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { latestOccurrence } from '../../domain/schedule/occurrences.ts';
import type { Message } from '../../queue/queue.ts';
import type { ExecutionKey } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { messageOf } from '../planning/plan.ts';
import { fireTimeOf } from './misfire.ts';

/** Items of ended executions that one look removes. With more of them, the look is repeated when the message comes back. */
const MAX_REMOVED = 20;
/** After this time no row follows its item any more: the worker died in between. A shorter one would lose the order. */
export const ROW_FOLLOWS_MS = 60_000;

/** The oldest execution in line. `unknown` if it cannot be told yet. Consistent: 2 RRU, 1 if there is none. */
async function firstInLine(
  { store, clock }: Context,
  jobId: string,
): Promise<Pick<Row, 'due' | 'status' | 'revision'> | 'unknown' | undefined> {
  for (let removed = 0; removed < MAX_REMOVED; removed++) {
    const first = await store.firstWait(jobId);
    if (!first) return undefined;
    const { due, at } = first;
    const row = await store.readRow(jobId, due, { consistent: /* [rule order-sure] */ true });
    if (row && !isTerminal(row.status)) return row;
    // the row is written after the item, unless the worker died in between
    if (!row && clock.now() - at < ROW_FOLLOWS_MS) return 'unknown';
    await store.removeWait({ jobId, due }, at);
  }
  return 'unknown';
}

/** Whether an older execution of the job is in line. `row` is the own one. */
export async function isBehind(
  context: Context,
  { jobId, due }: ExecutionKey,
  row: Row | undefined,
): Promise<boolean> {
  const first = await firstInLine(context, jobId);
  if (first === 'unknown') return true;
  if (row?.queuedAt !== undefined && (!first || first.due > due)) await keepPlace(context, { jobId, due });
  return first !== undefined && first.due < due;
}

/**
 * Whether the occurrence before this one has not even got in line: its message is late, or is handled at the same time. With
 * other policies than `runAll` missed occurrences do not stand in line. Nothing is read if the lock shows that it has run, as in
 * most claims. Else 1 RRU.
 */
export async function isOlderUndecided({ store, log }: Context, head: Head, due: DueKey): Promise<boolean> {
  const { jobId, schedule, misfire, lock, updatedAt, pausedUntil = 0 } = head;
  if (misfire.policy !== 'runAll') return false;
  try {
    // nothing is planned before the last change
    const previous = latestOccurrence(schedule, Math.max(updatedAt, pausedUntil - 1), dueAtOf(due) - 1);
    if (previous === undefined || (lock && lock.due >= dueKey(previous))) return false;
    return !(await store.readRow(jobId, dueKey(previous), { consistent: true }));
  } catch (error) {
    log.debug('failed to find the occurrence before', { jobId, error: String(error) });
    return false;
  }
}

/**
 * Stands in line again, if the item was removed because its row came late. True if it is the first in line. 1 RRU, and 1 WRU if
 * it was removed.
 */
export async function keepPlace({ store, clock }: Context, { jobId, due }: ExecutionKey): Promise<boolean> {
  const first = await store.firstWait(jobId);
  if (first && first.due <= due) return first.due === due;
  await store.putWait({ jobId, due }, clock.now());
  return true;
}

/** Sends the message of the oldest execution in line. It saves time, and nothing rests on it: each comes back by itself. */
export async function wakeNext(context: Context, head: Head, ended: DueKey): Promise<void> {
  const { clock, queue, log } = context;
  try {
    const next = await firstInLine(context, head.jobId);
    if (next === undefined || next === 'unknown' || next.status !== 'QUEUED' || next.due === ended) return;
    const now = clock.now();
    // not `now`: by the clock of the worker that claims it, that time may be in the future
    const fireAt = isManual(next) ? Math.min(now, dueAtOf(next.due)) : fireTimeOf(head, next.due);
    await queue.send([messageOf(head, next, fireAt, now)]);
  } catch (error) {
    log.warn('failed to wake the next execution in line', { jobId: head.jobId, error: String(error) });
  }
}

const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 5_000;
/** In a job whose executions stand in line, each end wakes the next one. */
const MAX_WAIT_IN_LINE_MS = 30_000;
const MAX_WAIT_BEHIND_MS = 120_000;
/**
 * A message that waits for longer is deleted. Settle sends the execution again every 15 minutes, so it has another one. Without
 * this, the copies of an execution that waits for a day would be a hundred.
 */
const MESSAGE_KEPT_MS = 1_200_000;

/** Whether settle has sent a message again since, so that this copy need not come back. */
export const isSentAgain = ({ enqueuedAt }: Pick<Message, 'enqueuedAt'>, now: number): boolean =>
  now - enqueuedAt > MESSAGE_KEPT_MS;

/**
 * When a message that waits comes back: after 1, 2, 4 … s. At most 5 s if no end of another execution wakes it, 30 s for the first
 * in line, and 120 s for those behind it.
 */
export const comeBackAt = (
  head: Pick<Head, 'overlap' | 'misfire'>,
  now: number,
  since: number,
  isFirst = true,
): number => {
  const inLine = isFirst ? MAX_WAIT_IN_LINE_MS : MAX_WAIT_BEHIND_MS;
  const longest = standInLine(head) ? inLine : MAX_WAIT_MS;
  return now + Math.min(longest, Math.max(MIN_WAIT_MS, now - since));
};

/** Whether the job's executions start in the order of their due times. Each end wakes the next one. */
export const standInLine = ({ overlap, misfire }: Pick<Head, 'overlap' | 'misfire'>): boolean =>
  overlap === 'queue' || (overlap === 'skip' && misfire.policy === 'runAll');
