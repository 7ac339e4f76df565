// Whether an occurrence still counts. A pause, a schedule edit or a cancel withdraws occurrences, and those do not start.

import { dueAtOf, isManual } from '../../domain/executions/ids.ts';
import type { Row } from '../../domain/executions/row.ts';
import type { Head } from '../../domain/jobs/job.ts';
import type { Message } from '../../queue/queue.ts';
import type { Context } from '../context.ts';
import { regularEntry } from '../planning/plan.ts';

/** Whether a first claim may start the occurrence: the job is active, and the schedule in force has planned it. */
export const isCurrent = (head: Head, message: Message): boolean =>
  head.status === 'active' && head.revision === message.revision;

/** Whether the execution may have a row. If not, reading the row is not necessary. */
export const mayHaveRow = ({ rowsUntil, coveredUntil }: Head, message: Message): boolean =>
  isManual(message) ||
  (rowsUntil !== undefined && message.due <= rowsUntil) ||
  (coveredUntil !== undefined && message.due <= coveredUntil);

/** Whether the schedule in force has planned a withdrawn occurrence too. It has a message of its own then. */
export const isPlannedAgain = async ({ store }: Context, head: Head, { due }: Message): Promise<boolean> =>
  head.status === 'active' && store.hasEntry(regularEntry(head, dueAtOf(due)));

/**
 * The message with the revision of the execution that the open row belongs to. A message sent before an edit must not cancel
 * an execution that waits under the new schedule, nor a manual run. If the message is current and the row is WAITING, the
 * message's own revision counts.
 */
export function effectiveMessage(head: Head, message: Message, row: Row | undefined): Message {
  if (!row || (row.status === 'WAITING' && isCurrent(head, message))) return message;
  return { ...message, revision: row.revision };
}
