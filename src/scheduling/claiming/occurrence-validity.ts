// Whether an occurrence still counts: withdrawn ones do not start.

import { dueAtOf, isManual } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { regularEntry } from '../planning/plan.ts';

/** May a first claim start it: the job is active, and the schedule is still the one that planned it. */
export const isCurrent = (head: Head, message: Message): boolean =>
  head.status === 'active' && head.revision === message.revision;

/** Whether the execution may have a row. If not, reading the row is not necessary. */
export const mayHaveRow = ({ rowsUntil, coveredUntil }: Head, message: Message): boolean =>
  isManual(message) ||
  (rowsUntil !== undefined && message.due <= rowsUntil) ||
  (coveredUntil !== undefined && message.due <= coveredUntil);

/** Of an occurrence that is withdrawn: the schedule in force has planned it too, and a message of its own brings it. */
export const isPlannedAgain = async ({ store }: Context, head: Head, { due }: Message): Promise<boolean> =>
  head.status === 'active' && store.hasEntry(regularEntry(head, dueAtOf(due)));

/**
 * An open row says whose execution it is: a message that an edit has outlived must not end what waits under the schedule
 * in force, nor what was started by hand. Where the message is live and the waiting row is not, the message counts.
 */
export function effectiveMessage(head: Head, message: Message, row: Row | undefined): Message {
  if (!row || (row.status === 'WAITING' && isCurrent(head, message))) return message;
  return { ...message, revision: row.revision };
}
