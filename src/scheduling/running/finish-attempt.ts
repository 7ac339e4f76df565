// Finish: the write that records the end of an attempt (docs/protocol.md#finish).

import { withAttempt } from '../../domain/executions/attempts.ts';
import type { Row, RunError } from '../../domain/executions/row.ts';
import { backoffMs } from '../../domain/jobs/policy-defaults.ts';
import { MAX_DELAY_MS } from '../../queue/queue.ts';
import type { Claimed } from '../claiming/claim-result.ts';
import type { Context } from '../context.ts';
import { messageOf, writerHorizon } from '../planning/plan.ts';
import { writeRow } from '../records/write-row.ts';
import { afterExecution } from './after-execution.ts';

export type Outcome =
  | { readonly kind: 'succeeded'; readonly result: unknown }
  | {
      readonly kind: 'failed';
      readonly error: RunError;
      readonly retry: 'never' | 'backoff' | { readonly afterMs: number };
    }
  | { readonly kind: 'cancelled'; readonly reason: string }
  /** The worker shut down, or the task snoozed. It runs again after `afterMs`, and the attempt does not count. */
  | { readonly kind: 'interrupted'; readonly afterMs?: number };

export interface Times {
  readonly receivedAt: number;
  readonly startedAt: number;
}

/** The row that was written. Undefined if another worker has taken over, and the result is discarded. */
export async function finishAttempt(
  context: Context,
  claimed: Claimed,
  outcome: Outcome,
  times: Times,
): Promise<Row | undefined> {
  const { store, queue, clock } = context;
  const { head, message } = claimed;
  const row = rowOf(context, claimed, outcome, times);
  if (!(await writeUntilAnswered(context, row))) return undefined;

  if (row.status === 'RETRYING' && row.nextAttemptAt !== undefined) {
    const again = { jobId: head.jobId, due: message.due, revision: message.revision };
    if (isReadByDispatch(context, row.nextAttemptAt)) {
      await store.putEntries([{ ...again, at: row.nextAttemptAt, kind: 'retry' }]);
    } else {
      const { trace } = message;
      await queue.send([{ ...messageOf(head, again, row.nextAttemptAt, clock.now()), trace }]);
    }
    return row;
  }
  await afterExecution(context, head, row);
  return row;
}

/**
 * Whether the next attempt gets an entry. SQS cannot delay its message for so long, and its slot is beyond the cursor of dispatch,
 * however long the look-ahead is.
 */
function isReadByDispatch({ clock, settings }: Context, at: number): boolean {
  const now = clock.now();
  return at > Math.max(now + MAX_DELAY_MS - settings.watchPeriodMs, writerHorizon(settings, now));
}

function rowOf({ clock, random }: Context, claimed: Claimed, outcome: Outcome, times: Times): Row {
  const { head, message } = claimed;
  const { leaseUntil: _, was: __, progress: ___, ...opened } = claimed.row;
  const now = clock.now();
  const { attempt, maxAttempts, workerId = '' } = opened;
  // a clock may have been set back since the start, and the next worker's clock need not have reached the fire time
  const nextAttemptAfter = (ms: number): number => Math.max(now + ms, message.fireAt);
  const base: Row = {
    ...opened,
    receivedAt: times.receivedAt,
    startedAt: times.startedAt,
    ranMs: (opened.ranMs ?? 0) + Math.max(0, now - times.startedAt),
    // an edit may have changed the notifications since the row was written
    ...((opened.notifies || head.notifies) && { notifies: head.notifies }),
  };
  if (outcome.kind === 'succeeded')
    return { ...base, status: 'SUCCEEDED', finishedAt: now, result: outcome.result };
  if (outcome.kind === 'cancelled')
    return { ...base, status: 'CANCELLED', finishedAt: now, reason: outcome.reason };
  if (outcome.kind === 'interrupted')
    return {
      ...base,
      status: 'RETRYING',
      attempt: attempt - 1,
      firstStartedAt: base.firstStartedAt ?? times.startedAt,
      nextAttemptAt: nextAttemptAfter(outcome.afterMs ?? 0),
    };
  const { error, retry } = outcome;
  if (retry === 'never' || attempt >= maxAttempts)
    return { ...base, status: 'FAILED', finishedAt: now, error };
  const delay = retry === 'backoff' ? backoffMs(head.retry, attempt, random.float()) : retry.afterMs;
  const ended = { attempt, workerId, ...times, finishedAt: now, error };
  return {
    ...base,
    ...withAttempt(base, ended),
    status: 'RETRYING',
    error,
    nextAttemptAt: nextAttemptAfter(delay),
  };
}

/**
 * Repeats the write while the store does not answer, for the length of a lease. The result is valid until another worker takes
 * over, and after a lease that worker's attempt counts.
 */
async function writeUntilAnswered(context: Context, row: Row): Promise<boolean> {
  const { clock, settings, log } = context;
  const giveUp = clock.monotonic() + settings.leaseMs;
  const { number } = row;
  for (let pause = 50; ; pause = Math.min(pause * 2, 5000)) {
    try {
      return await writeRow(context, { status: 'RUNNING', number }, row);
    } catch (error) {
      if (clock.monotonic() > giveUp) throw error;
      log.warn('failed to record the end of an attempt; retrying', {
        jobId: row.jobId,
        due: row.due,
        error: String(error),
      });
      await clock.sleep(pause);
    }
  }
}
