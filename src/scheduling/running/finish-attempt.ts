// Finish: one write that records how an attempt ended (docs/protocol.md#finish).

import { ownerHash } from '../../domain/digest.ts';
import type { Row, RunError } from '../../domain/executions/row.ts';
import { backoffMs } from '../../domain/jobs/policies.ts';
import { MAX_DELAY_MS } from '../../queue/queue.ts';
import type { Claimed } from '../claiming/claim-result.ts';
import type { Context } from '../context.ts';
import { newRow, writeFenced } from '../records/write-row.ts';
import { afterExecution } from './after-execution.ts';

export type Outcome =
  | { readonly kind: 'succeeded'; readonly result: unknown }
  | {
      readonly kind: 'failed';
      readonly error: RunError;
      readonly retry: 'never' | 'backoff' | { readonly afterMs: number };
    }
  | { readonly kind: 'cancelled'; readonly reason: string }
  /** The worker shuts down, or the task had no room: runs again, at once or after that long; the attempt does not count. */
  | { readonly kind: 'interrupted'; readonly afterMs?: number };

export interface Times {
  readonly receivedAt: number;
  readonly startedAt: number;
}

/** The row as it was written, or undefined: we were taken over and what we have is discarded. */
export async function finishAttempt(
  context: Context,
  claimed: Claimed,
  outcome: Outcome,
  times: Times,
): Promise<Row | undefined> {
  const { store, queue, clock, settings } = context;
  const { head, message, hold, row: opened } = claimed;
  const row = rowOf(context, claimed, outcome, times);
  if (!(await writeUntilAnswered(context, opened, row))) return undefined;

  if (row.status === 'RETRYING' && row.nextAttemptAt !== undefined) {
    const again = { jobId: head.jobId, due: message.due, revision: message.revision };
    if (row.nextAttemptAt - clock.now() > MAX_DELAY_MS - settings.watchPeriodMs) {
      await store.putEntries([{ ...again, at: row.nextAttemptAt, kind: 'retry' }]);
    } else {
      const { trace } = message;
      const owner = ownerHash(head.userId);
      await queue.send([{ ...again, fireAt: row.nextAttemptAt, enqueuedAt: clock.now(), owner, trace }]);
    }
    return row;
  }
  await afterExecution(context, { ...head, hold }, message, row);
  return row;
}

function rowOf({ clock, random }: Context, claimed: Claimed, outcome: Outcome, times: Times): Row {
  const { head, message, hold, row: opened } = claimed;
  const now = clock.now();
  const base: Row = {
    ...(opened ?? newRow(head, message.due, message.revision, 'RUNNING')),
    fence: hold.token,
    attempt: hold.attempt,
    workerId: hold.workerId,
    enqueuedAt: opened?.enqueuedAt ?? message.enqueuedAt,
    receivedAt: times.receivedAt,
    startedAt: times.startedAt,
    // an edit may have changed it since the row was opened
    ...((opened?.notifies || head.notifies) && { notifies: head.notifies }),
  };
  if (outcome.kind === 'succeeded')
    return { ...base, status: 'SUCCEEDED', finishedAt: now, result: outcome.result };
  if (outcome.kind === 'cancelled')
    return { ...base, status: 'CANCELLED', finishedAt: now, reason: outcome.reason };
  if (outcome.kind === 'interrupted')
    return {
      ...base,
      status: 'RETRYING',
      attempt: hold.attempt - 1,
      nextAttemptAt: now + (outcome.afterMs ?? 0),
    };
  const { error, retry } = outcome;
  if (retry === 'never' || hold.attempt >= base.maxAttempts)
    return { ...base, status: 'FAILED', finishedAt: now, error };
  const delay = retry === 'backoff' ? backoffMs(head.retry, hold.attempt, random.float()) : retry.afterMs;
  return { ...base, status: 'RETRYING', error, nextAttemptAt: now + delay };
}

/**
 * Our result stays valid until somebody takes over, so a store that does not answer is asked again for as long as that
 * cannot have happened unnoticed; after that the takeover's attempt is the one that counts. On condition of RUNNING: a
 * finish repeated after a lost response must not end what /retry has reopened [H8].
 */
async function writeUntilAnswered(context: Context, opened: Row | undefined, row: Row): Promise<boolean> {
  const { clock, settings, log } = context;
  const giveUp = clock.monotonic() + settings.leaseMs;
  for (let pause = 50; ; pause = Math.min(pause * 2, 5000)) {
    try {
      return await writeFenced(context, opened, row);
    } catch (error) {
      if (clock.monotonic() > giveUp) throw error;
      log.warn('could not record the end of an execution; trying again', {
        jobId: row.jobId,
        due: row.due,
        error: String(error),
      });
      await clock.sleep(pause);
    }
  }
}
