// Notification windows: at most one notification per job and kind of event in `windowMs`. Further events are counted, and a
// summary reports them when the window is over.
import { CONFLICT, retryConflicts } from '../concurrency/retry-conflicts.ts';
import { isTerminal } from '../domain/executions/row.ts';
import type { Head } from '../domain/jobs/job.ts';
import { executionOfRow, plannedExecution } from '../domain/views/views.ts';
import type { EventMessage, NotifyQueue, SummaryMessage } from '../queue/notify-queue.ts';
import type { Context } from '../scheduling/context.ts';
import type { NotificationWindow } from '../store/store.ts';
import { deliveriesOf, type Target, targetsOf } from './deliveries.ts';
import { DONE, type MessageOutcome } from './message-outcome.ts';

export interface WindowOptions {
  readonly context: Context;
  readonly queue: NotifyQueue;
  /** The length of a window. 0: every event is sent. */
  readonly windowMs: number;
}

/** If the conflicts go on for longer, the message is retried later. */
const WINDOW_RETRY = { maxRounds: 8, pauseMs: 50 };
/** The keys of events that a window remembers. With 12 it stays below 1 KB. */
const MAX_RECENT = 12;
/** How long the store keeps a window after its end. */
const KEPT_MS = 86_400_000;

/** An event of the job that the row confirms, with the targets that want it. */
interface TargetedEvent {
  readonly head: Head;
  readonly message: EventMessage;
  readonly targets: readonly Target[];
  /** Identifies the event in `recent`. */
  readonly key: string;
  /** Identifies the notification that opens a window. */
  readonly openedBy: string;
}

/** Sends a notification of the event, or counts the event if a window is open. */
export async function notifyOfEvent(
  options: WindowOptions,
  head: Head,
  message: EventMessage,
): Promise<MessageOutcome> {
  const { context } = options;
  const { store, clock, random } = context;
  const { jobId, due, event: kind, row } = message;
  const targets = await targetsOf(context, head, kind, latenessOf(context, message));
  if (targets.length === 0) return DONE;
  const key = row ? `${due}.${row.number}.${row.status}` : `${due}.late${targets.length}`;
  // Settle reports every few minutes that an execution has not started. Only the same message may open its window again.
  const openedBy = row ? key : `${key}@${message.at}`;
  const event = { head, message, targets, key, openedBy };

  const outcome = await retryConflicts(context, WINDOW_RETRY, async () => {
    const now = clock.now();
    const window = await store.readNotificationWindow(jobId, kind);
    const openedByThis = window?.openedBy === openedBy;
    if (!openedByThis && window?.recent.includes(key)) return markNotified(context, message);
    const isOpen = window !== undefined && now < window.until;
    const written =
      isOpen && !openedByThis
        ? await suppress(options, window, event, now)
        : await openWindow(options, window, event, now);
    return written ? markNotified(context, message) : CONFLICT;
  });
  return outcome === CONFLICT ? { kind: 'later', ms: 1_000 + random.float() * 4_000 } : outcome;
}

/** Counts an event in an open window. False if another process has written the window. */
async function suppress(
  { context, queue }: WindowOptions,
  window: NotificationWindow,
  { message: { jobId, due, event }, key }: TargetedEvent,
  now: number,
): Promise<boolean> {
  // the summary is sent before the count is written: a summary without a count reports nothing
  if (window.suppressed === 0) {
    const { until } = window;
    const summary = { kind: 'summary' as const, id: context.random.id(12), jobId, event, until };
    await queue.send([summary], until - now);
  }
  return writeWindow(context, window, {
    ...window,
    suppressed: window.suppressed + 1,
    last: due,
    recent: remember(window.recent, key),
  });
}

/**
 * Opens a window and sends the deliveries. Events of the last window that no summary has reported go along. False if another
 * process has written the window.
 */
async function openWindow(
  { context, queue, windowMs }: WindowOptions,
  seen: NotificationWindow | undefined,
  { head, message, targets, key, openedBy }: TargetedEvent,
  now: number,
): Promise<boolean> {
  const { jobId, event, due, execution, at } = message;
  // true: this message opened the window before, and its deliveries may not have been sent
  const isOpen = seen !== undefined && now < seen.until;
  const reported = seen?.openedBy === openedBy ? (seen.summary?.suppressed ?? 0) : 0;
  const suppressed = reported + (isOpen ? 0 : (seen?.suppressed ?? 0));
  const opened = {
    ...{ jobId, event, until: now + windowMs, openedBy, suppressed: 0 },
    recent: remember(seen?.recent ?? [], key),
    ...(suppressed > 0 && { summary: { suppressed, last: due } }),
  };
  if (!isOpen && !(await writeWindow(context, seen, opened))) return false;
  await queue.send(deliveriesOf(head, event, openedBy, targets, { suppressed, execution, at }));
  return true;
}

/** Reports the events that were suppressed in a window that is over. The report opens the next window. */
export async function sendSummary(
  { context, queue, windowMs }: WindowOptions,
  { id, jobId, event, until }: SummaryMessage,
): Promise<MessageOutcome> {
  const { store, clock } = context;
  const now = clock.now();
  const window = await store.readNotificationWindow(jobId, event);
  if (!window) return DONE;
  let summary = window.openedBy === id ? window.summary : undefined;
  if (!summary) {
    // the notification that opened another window has reported the suppressed events
    if (window.until !== until) return DONE;
    if (now < until) return { kind: 'later', ms: until - now };
    if (window.suppressed === 0 || window.last === undefined) return DONE;
    summary = { suppressed: window.suppressed - 1, last: window.last };
    const { recent } = window;
    const opened = { jobId, event, until: now + windowMs, openedBy: id, suppressed: 0, recent, summary };
    if (!(await writeWindow(context, window, opened))) return { kind: 'later', ms: 1_000 };
  }
  const head = await store.readHead(jobId, { consistent: false });
  const row = await store.readRow(jobId, summary.last, { consistent: false });
  if (!head) return DONE;
  const execution = row ? executionOfRow(row) : plannedExecution(head, summary.last, now);
  const targets = await targetsOf(context, head, event, Number.POSITIVE_INFINITY);
  const content = { suppressed: summary.suppressed, execution, at: now };
  await queue.send(deliveriesOf(head, event, id, targets, content));
  return DONE;
}

function writeWindow(
  { store, random }: Context,
  seen: NotificationWindow | undefined,
  window: Omit<NotificationWindow, 'stamp'>,
): Promise<boolean> {
  const expiresAt = Math.ceil((window.until + KEPT_MS) / 1000);
  return store.writeNotificationWindow(seen, { ...window, stamp: random.id(12) }, expiresAt);
}

const remember = (recent: readonly string[], key: string): string[] =>
  [...recent.filter((one) => one !== key), key].slice(-MAX_RECENT);

/**
 * Marks the row as notified, so that settle does not publish the event again and a redelivered message is not counted again.
 * 1 WRU. Without effect if the execution was retried since.
 */
async function markNotified({ store }: Context, { jobId, due, row }: EventMessage): Promise<MessageOutcome> {
  if (row && isTerminal(row.status))
    await store.markNotified(jobId, due, { status: row.status, number: row.number });
  return DONE;
}

function latenessOf({ clock }: Context, { late }: EventMessage): number {
  return late ? (late.startedAt ?? clock.now()) - late.expectedAt : 0;
}
