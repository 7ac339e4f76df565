// Compares a message of the notify queue with the execution's row. The message is sent before the row is written, so the
// write may still be to come, or may never have happened.

import { isManual } from '../domain/executions/ids.ts';
import { isTerminal, type Row } from '../domain/executions/row.ts';
import type { ChangeMessage, EventMessage, RowToCome } from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';

/** `not yet`: the row may still be written. `no`: the event did not happen, or its notification was sent before. */
export type Verdict = 'yes' | 'not yet' | 'no';

/** 1 RRU. For a late execution without a row, 2 RRU. */
export async function verifyEvent(context: Context, message: EventMessage | ChangeMessage): Promise<Verdict> {
  const { store } = context;
  const { jobId, due, row: expected } = message;
  if (message.kind === 'event' && message.late) return verifyLate(context, message, message.late);
  // the message of a start is sent after the claim
  if (!expected) return 'yes';
  const row = await store.readRow(jobId, due, { consistent: true });
  if (row?.told && message.kind === 'event') return 'no';
  return wasWritten(row, expected);
}

/**
 * A worker writes one end of its attempt, with the number of its claim. A later state of the row proves that end, if it can only follow it.
 */
export function wasWritten(row: Row | undefined, expected: RowToCome): Verdict {
  if (!row) return 'not yet';
  const isSame = row.number === expected.number;
  if (isSame && row.status === expected.status) return 'yes';
  switch (expected.status) {
    case 'QUEUED':
      return 'yes';
    case 'RUNNING':
    case 'RETRYING':
      // the next attempt has begun, or the execution was cancelled or retried between two attempts
      if (row.attempt > expected.attempt || (isSame && row.status !== 'RUNNING')) return 'yes';
      break;
    default:
      // a manual retry reopened the row, and added one to the number
      if (row.number === expected.number + 1 && row.status === 'QUEUED') return 'yes';
  }
  return isTerminal(row.status) ? 'no' : 'not yet';
}

/** Late: started after its threshold, or not started and neither withdrawn, skipped nor cancelled since. */
async function verifyLate(
  { store }: Context,
  { jobId, due }: EventMessage,
  { startedAt, revision }: { startedAt?: number | undefined; revision: string },
): Promise<Verdict> {
  if (startedAt !== undefined) return 'yes';
  const row = await store.readRow(jobId, due, { consistent: true });
  if (row) return row.status === 'SKIPPED' || row.status === 'CANCELLED' ? 'no' : 'yes';
  const head = await store.readHead(jobId, { consistent: true });
  if (!head) return 'no';
  const isCurrent = head.status === 'active' && head.revision === revision;
  return isCurrent || isManual({ revision }) ? 'yes' : 'no';
}
