// Says on the notify queue what there may be to tell. The message goes before the row is written: whoever dies in between
// leaves one that the ledger does not confirm, and nothing is told. Settle says it again where that did not work
// (docs/decisions/0013-notifications.md). A job that tells nothing costs nothing here.

import { withDeadline } from '../concurrency/with-deadline.ts';
import { dueAtOf, isManual } from '../domain/executions/ids.ts';
import type { Row, RowSeen } from '../domain/executions/row.ts';
import { eventOf } from '../domain/executions/row-events.ts';
import { lateAfterMs, type NotifyEvent, wants } from '../domain/jobs/notify-events.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfHold, executionOfRow, plannedExecution } from '../domain/views/views.ts';
import type {
  ChangeMessage,
  EventMessage,
  NotifyMessage,
  NotifyQueue,
  RowToCome,
} from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';
import type { NotificationPublisher } from '../scheduling/notification-publisher.ts';

export interface PublisherOptions {
  readonly queue: NotifyQueue;
  /** Every change of every execution is said, for the event bus. */
  readonly changes?: boolean;
}

/** No longer than this is a job kept from its end by a queue that does not answer. */
const WITHIN_MS = 2_000;
/** By then the row is there, as a rule. */
const ROW_FOLLOWS_MS = 1_000;

/** A context whose writes of rows are told. */
export function publishEvents(
  context: Context,
  options: PublisherOptions,
): Context & { readonly publisher: NotificationPublisher } {
  const { store } = context;
  const say = (messages: NotifyMessage[], delayMs = 0) => send(context, options.queue, messages, delayMs);
  const about = (seen: RowSeen | undefined, row: Row) => messagesOf(context, options, seen, row);

  return {
    ...context,
    store: {
      ...store,
      async insertRow(row) {
        // what the head has decided may be recorded by several, again and again: whose insert it was tells it
        const after = row.status === 'SKIPPED' || row.status === 'QUEUED';
        if (!after) await say(about(undefined, row), ROW_FOLLOWS_MS);
        const done = await store.insertRow(row);
        if (after && done) await say(about(undefined, row));
        return done;
      },
      async updateRow(seen, row) {
        await say(about(seen, row), ROW_FOLLOWS_MS);
        return store.updateRow(seen, row);
      },
    },
    publisher: {
      async started({ head, message, hold, row }) {
        const expectedAt = isManual(message) ? (row?.enqueuedAt ?? dueAtOf(message.due)) : message.fireAt;
        const isLate = hold.attempt === 1 && hold.startedAt - expectedAt > lateAfterMs(head.notifies);
        if (!isLate && !options.changes) return;
        const { due, startedAt } = hold;
        const common = {
          jobId: head.jobId,
          due,
          at: context.clock.now(),
          execution: row ? executionOfRow(row) : executionOfHold(head, hold),
        };
        const late = { expectedAt, startedAt, revision: message.revision };
        const messages: NotifyMessage[] = [];
        if (isLate) messages.push({ kind: 'event', event: 'late', ...common, late });
        if (options.changes) messages.push({ kind: 'change', change: 'started', ...common });
        await say(messages);
      },
      missed: (rows) => say(rows.flatMap((row) => eventMessages(context, undefined, row))),
      async overdue(overdue) {
        const at = context.clock.now();
        const late = overdue.filter(({ head, expectedAt }) => at - expectedAt > lateAfterMs(head.notifies));
        await say(
          late.map(({ head, due, revision, expectedAt }) => ({
            kind: 'event',
            event: 'late',
            jobId: head.jobId,
            due,
            at,
            execution: plannedExecution(head, due, at),
            late: { expectedAt, revision },
          })),
        );
      },
    },
  };
}

function messagesOf(
  context: Context,
  { changes }: PublisherOptions,
  seen: RowSeen | undefined,
  row: Row,
): NotifyMessage[] {
  const events: NotifyMessage[] = eventMessages(context, seen, row);
  if (!changes || row.status === 'RUNNING') return events;
  return [...events, changeMessage(context, row)];
}

function eventMessages(context: Context, seen: RowSeen | undefined, row: Row): EventMessage[] {
  const event: NotifyEvent | undefined = eventOf(seen, row);
  if (event === undefined || !wants(row.notifies, event)) return [];
  return [{ kind: 'event', event, ...common(context, row), row: toCome(row) }];
}

function changeMessage(context: Context, row: Row): ChangeMessage {
  const execution = executionOfRow(row);
  return { kind: 'change', change: execution.status, ...common(context, row), row: toCome(row) };
}

function common(
  { clock }: Context,
  row: Row,
): { jobId: string; due: string; at: number; execution: ExecutionView } {
  return { jobId: row.jobId, due: row.due, at: clock.now(), execution: executionOfRow(row) };
}

const toCome = ({ status, fence, attempt }: Row): RowToCome => ({
  status: status === 'WAITING' ? 'QUEUED' : status,
  ...(fence !== undefined && { fence }),
  attempt,
});

/** Never throws and never takes long: a job's end does not wait for who is told of it. False: it may not have been sent. */
async function send(
  { clock, log }: Context,
  queue: NotifyQueue,
  messages: readonly NotifyMessage[],
  delayMs: number,
): Promise<boolean> {
  if (messages.length === 0) return true;
  const failed = (error: unknown): false => {
    log.warn('what there is to tell could not be sent; settle will look', { error: String(error) });
    return false;
  };
  const sending = queue.send(messages, delayMs).then(
    () => true,
    (error: unknown) => failed(error),
  );
  return withDeadline(sending, { timer: clock, ms: WITHIN_MS }, () => failed(`${WITHIN_MS} ms`));
}
