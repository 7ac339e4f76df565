// The misfire policy of an occurrence that is claimed late (docs/protocol.md#misfire).
import { type DueKey, dueAtOf, dueKey, isManual } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { Head } from '../../domain/jobs/job.ts';
import { fireAt, isRecurring } from '../../domain/schedule/occurrences.ts';
import type { Message } from '../../queue/queue.ts';

/** How reasons of the misfire policy begin. */
export const MISFIRE = 'misfire: ';
export const COVERED_REASON = `${MISFIRE}one run stood for all that were missed`;

/** The due time up to which the head counts occurrences as covered after a claim. Undefined if none is covered. */
export type Cover = DueKey | undefined;

export interface Misfire {
  /** Why the occurrence does not run. Undefined if it runs. */
  readonly skips?: string;
  /** Whether the occurrence is missed, and starts in the order of the due times. */
  readonly queues: boolean;
  readonly cover: Cover;
}

interface Facts {
  readonly now: number;
  readonly clockSkewMs: number;
  readonly message: Pick<Message, 'revision'>;
  readonly row: Row | undefined;
}

/** The misfire of a first claim. One-time jobs, runs by hand and retries are never missed. */
export function misfireOf(facts: Facts, head: Head, due: DueKey): Misfire {
  const { now, clockSkewMs, message, row } = facts;
  const cover = isCoverInFuture(now, head) ? undefined : head.coveredUntil;
  if (isManual(row ?? message) || row?.status === 'RETRYING') return { queues: false, cover };
  // one that was given back before it started is as if it had no row. One that has waited for others is late for that reason
  const isFresh = !row || (row.attempt === 0 && row.queuedAt === undefined);
  const fires = fireTimeOf(head, due);
  const late = now - fires;
  // an occurrence in time can be covered only by a wrong clock, and runs
  if (isFresh && !row?.covers && cover !== undefined && fires <= dueAtOf(cover) && late > clockSkewMs)
    return { skips: COVERED_REASON, queues: false, cover };
  const { policy, graceSeconds } = head.misfire;
  if (!isRecurring(head.schedule) || late <= graceSeconds * 1000) return { queues: false, cover };
  if (policy === 'skip' && !row) {
    const skips = `${MISFIRE}${Math.round(late / 1000)} s late, ${graceSeconds} s allowed${limitText(head)}`;
    return { skips, queues: false, cover };
  }
  if (policy === 'runAll') return { queues: head.overlap !== 'allow', cover };
  if (policy === 'skip' || !(isFresh || row.covers)) return { queues: false, cover };
  // an occurrence that fires later is in time by some machine's clock: two differ by clockSkewMs, and the claim of a covered
  // occurrence must find it late by more than that
  const covered = dueKey(Math.max(fires, now - 2 * clockSkewMs));
  return { queues: false, cover: cover === undefined || covered > cover ? covered : cover };
}

/** A job with a concurrency limit may be late because it waited for a seat of its key. */
const limitText = ({ limit }: Head): string =>
  limit ? `; at most ${limit.concurrent} executions with key ${JSON.stringify(limit.key)} run at once` : '';

/** The fire time of an occurrence. The `fireAt` of a message that was sent again may be later. */
export const fireTimeOf = (head: Pick<Head, 'jobId' | 'schedule'>, due: DueKey): number =>
  fireAt(head.schedule, head.jobId, dueAtOf(due));

/** Whether `coveredUntil` is in the future. A wrong clock has written it, so it covers nothing. The next claim removes it. */
export const isCoverInFuture = (now: number, { coveredUntil }: Pick<Head, 'coveredUntil'>): boolean =>
  coveredUntil !== undefined && dueAtOf(coveredUntil) > now;
