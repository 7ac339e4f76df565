// Handles one message of the notify queue. An event is compared with the row, then it becomes one delivery per target, at
// most once per job and kind of event in a window. A delivery is sent to its target.
import type { ChangeMessage, EventMessage, NotifyMessage } from '../queue/notify-queue.ts';
import { type Deliverer, deliver, putOnBus } from './deliver.ts';
import { DONE, type MessageOutcome } from './message-outcome.ts';
import { verifyEvent } from './verify-event.ts';
import { notifyOfEvent, sendSummary, type WindowOptions } from './windows.ts';

export interface Notifier extends Deliverer, WindowOptions {}

/**
 * The delays between the checks of a row that is not written yet. After the last one the message is dropped: its writer is
 * gone, and the worker that took over has published its own event.
 */
const VERIFY_AGAIN_MS = [1_000, 2_000, 5_000, 15_000, 30_000, 60_000];

/** `receiveCount`: how often SQS has delivered the message, 1 at first. */
export async function handleNotification(
  notifier: Notifier,
  message: NotifyMessage,
  receiveCount: number,
): Promise<MessageOutcome> {
  switch (message.kind) {
    case 'delivery':
      return deliver(notifier, message, receiveCount);
    case 'summary':
      return sendSummary(notifier, message);
    default:
      return verifyAndNotify(notifier, message, receiveCount);
  }
}

async function verifyAndNotify(
  notifier: Notifier,
  message: EventMessage | ChangeMessage,
  receiveCount: number,
): Promise<MessageOutcome> {
  const { context } = notifier;
  const verdict = await verifyEvent(context, message);
  if (verdict === 'no') return DONE;
  if (verdict === 'not yet') {
    const ms = VERIFY_AGAIN_MS[receiveCount - 1];
    return ms === undefined ? DONE : { kind: 'later', ms };
  }
  // 0.5 RRU
  const head = await context.store.readHead(message.jobId, { consistent: false });
  if (!head) return DONE;
  if (message.kind === 'change') return putOnBus(notifier, head, message, receiveCount);
  return notifyOfEvent(notifier, head, message);
}
