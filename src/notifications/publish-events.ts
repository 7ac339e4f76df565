// Publishes candidate notifications to the notify queue, most of them before the row is written. The notifier verifies them
// against the row, so a worker that dies before the write causes no notification. Settle publishes lost ones again
// (docs/decisions/0013-notifications.md). A job without notifications costs nothing here.

import { withDeadline } from '../concurrency/with-deadline.ts';
import { dueAtOf, isManual } from '../domain/executions/ids.ts';
import type { Row, RowSeen } from '../domain/executions/row.ts';
import { eventOf } from '../domain/executions/row-events.ts';
import { lateAfterMs, type NotifyEvent, wants } from '../domain/jobs/notify-events.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, plannedExecution } from '../domain/views/views.ts';
import type {
  ChangeMessage,
  EventMessage,
  NotifyMessage,
  NotifyQueue,
  RowToCome,
} from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';
import type { NotificationPublisher } from '../scheduling/notification-publisher.ts';
import { observeRows } from '../store/observe-rows.ts';

export interface PublisherOptions {
  readonly queue: NotifyQueue;
  /** Whether every change of every execution is published, for the event bus. */
  readonly changes?: boolean;
}

/** The longest time that a write of a row waits for the notify queue. */
const SEND_TIMEOUT_MS = 2_000;
/** The delay of a message that is sent before its row is written, so that the notifier usually finds the row. */
const ROW_FOLLOWS_MS = 1_000;

/** A context that publishes the notifications of its writes of rows, and has a publisher for all other ones. */
export function publishEvents(
  context: Context,
  options: PublisherOptions,
): Context & { readonly publisher: NotificationPublisher } {
  const publish: Publish = (messages, delayMs = 0) => send(context, options.queue, messages, delayMs);
  const store = observeRows(context.store, {
    async before(row, seen) {
      if (!isPublishedAfterWrite(row, seen)) await publish(messagesOf(context, options, row), ROW_FOLLOWS_MS);
    },
    async after(row, seen) {
      if (isPublishedAfterWrite(row, seen)) await publish(messagesOf(context, options, row));
    },
  });
  return { ...context, store, publisher: createPublisher(context, options, publish) };
}

/** False if the messages may not have been sent. */
type Publish = (messages: NotifyMessage[], delayMs?: number) => Promise<boolean>;

/**
 * A decision about an execution that no worker has, or whose worker is lost, may be made by several processes. Only the one that
 * succeeds publishes it.
 */
const isPublishedAfterWrite = ({ status }: Row, seen: RowSeen | undefined): boolean =>
  status === 'SKIPPED' || (!seen && status === 'QUEUED') || seen?.leaseUntil !== undefined;

function createPublisher(
  context: Context,
  { changes }: PublisherOptions,
  publish: Publish,
): NotificationPublisher {
  return {
    async started({ head, message, row }) {
      const { due, startedAt = context.clock.now() } = row;
      const expectedAt = isManual(row) ? (row.enqueuedAt ?? dueAtOf(due)) : message.fireAt;
      const isLate = row.attempt === 1 && startedAt - expectedAt > lateAfterMs(head.notifies);
      if (!isLate && !changes) return;
      const common = {
        jobId: head.jobId,
        due,
        at: context.clock.now(),
        execution: executionOfRow(row),
      };
      const late = { expectedAt, startedAt, revision: message.revision };
      const messages: NotifyMessage[] = [];
      if (isLate) messages.push({ kind: 'event', event: 'late', ...common, late });
      if (changes) messages.push({ kind: 'change', change: 'started', ...common });
      await publish(messages);
    },
    missed: (rows) => publish(rows.flatMap((row) => eventMessages(context, row))),
    async overdue(overdue) {
      const at = context.clock.now();
      const late = overdue.filter(({ head, expectedAt }) => at - expectedAt > lateAfterMs(head.notifies));
      await publish(
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
  };
}

function messagesOf(context: Context, { changes }: PublisherOptions, row: Row): NotifyMessage[] {
  const events: NotifyMessage[] = eventMessages(context, row);
  if (!changes || row.status === 'RUNNING') return events;
  return [...events, changeMessage(context, row)];
}

function eventMessages(context: Context, row: Row): EventMessage[] {
  const event: NotifyEvent | undefined = eventOf(row);
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

const toCome = ({ status, number, attempt }: Row): RowToCome => ({ status, number, attempt });

/** Never rejects, and takes SEND_TIMEOUT_MS at most, because the end of a job must not wait for its notifications. */
async function send(
  { clock, log }: Context,
  queue: NotifyQueue,
  messages: readonly NotifyMessage[],
  delayMs: number,
): Promise<boolean> {
  if (messages.length === 0) return true;
  const failed = (error: unknown): false => {
    log.warn('failed to publish notifications; settle will publish them again', { error: String(error) });
    return false;
  };
  const sending = queue.send(messages, delayMs).then(
    () => true,
    (error: unknown) => failed(error),
  );
  const timedOut = () => failed(`no response within ${SEND_TIMEOUT_MS} ms`);
  return withDeadline(sending, { timer: clock, ms: SEND_TIMEOUT_MS }, timedOut);
}
