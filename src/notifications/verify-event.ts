// Whether the ledger bears out what a message on the notify queue says. The message was sent before the row was written,
// so it may be early, or about a write that never came to be.

import { isManual } from '../domain/executions/ids.ts';
import { isTerminal, type Row } from '../domain/executions/row.ts';
import type { ChangeMessage, EventMessage, RowToCome } from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';

export type Confirmed = 'yes' | 'not yet' | 'no';

/** 1 RRU; for a start that has not come, 1 more. */
export async function confirm(context: Context, message: EventMessage | ChangeMessage): Promise<Confirmed> {
  const { store } = context;
  const { jobId, due, row: expected } = message;
  if (message.kind === 'event' && message.late) return confirmLate(context, message, message.late);
  // a start: the hold was taken before it was said
  if (!expected) return 'yes';
  const row = await store.readRow(jobId, due, { consistent: true });
  if (row?.told && message.kind === 'event') return 'no';
  return wasWritten(row, expected);
}

/** A holder writes one end of its attempt, with its fence. What may follow that end tells that it was there. */
export function wasWritten(row: Row | undefined, expected: RowToCome): Confirmed {
  if (!row) return 'not yet';
  const same = row.fence === expected.fence;
  if (same && row.status === expected.status) return 'yes';
  switch (expected.status) {
    case 'QUEUED':
      return 'yes';
    case 'RUNNING':
    case 'RETRYING':
      // it is in its next attempt; or it was cancelled, and even started again, between two
      if (row.attempt > expected.attempt || (same && row.status !== 'RUNNING')) return 'yes';
      break;
    default:
      // /retry has reopened it: the fence stays
      if (same && row.fence !== undefined && row.status === 'QUEUED') return 'yes';
  }
  return isTerminal(row.status) ? 'no' : 'not yet';
}

/** Not started, or late: unless it was withdrawn or decided otherwise since. */
async function confirmLate(
  { store }: Context,
  { jobId, due }: EventMessage,
  { startedAt, revision }: { startedAt?: number | undefined; revision: string },
): Promise<Confirmed> {
  if (startedAt !== undefined) return 'yes';
  const row = await store.readRow(jobId, due, { consistent: true });
  if (row) return row.status === 'SKIPPED' || row.status === 'CANCELLED' ? 'no' : 'yes';
  const head = await store.readHead(jobId, { consistent: true });
  if (!head || head.note?.due === due) return 'no';
  const live = head.status === 'active' && head.revision === revision;
  return live || isManual({ revision }) || head.hold?.due === due ? 'yes' : 'no';
}
