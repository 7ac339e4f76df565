// The consumer of the notify queue: one message, and the loop of a long-running process.

import { backoffMs } from '../concurrency/backoff.ts';
import { handleNotification, type Notifier } from '../notifications/handle-notification.ts';
import type { MessageOutcome } from '../notifications/message-outcome.ts';
import { decodeNotify, type NotifyMessage } from '../queue/notify-queue.ts';
import type { Received, Receiver } from '../queue/queue.ts';

/** The pause of the loop after a failed receive. */
const RECEIVE_PAUSE_MS = 1_000;
const BACKOFF = { baseMs: 2_000, maxMs: 300_000 };

/** Never throws. A message whose handling throws is retried with backoff. */
export async function consume(
  notifier: Notifier,
  body: string,
  receiveCount: number,
): Promise<MessageOutcome> {
  const message = decodeNotify(body);
  if (!message) return { kind: 'never', reason: 'the body is not a message of the notify queue' };
  try {
    return await handleNotification(notifier, message, receiveCount);
  } catch (error) {
    notifier.context.log.error('notification handling failed and will be retried', {
      kind: message.kind,
      error,
    });
    return { kind: 'later', ms: backoffMs(BACKOFF, receiveCount) };
  }
}

/** The key of messages that are handled in order: those of one job, because they write the same notification window. */
export function jobOf(body: string): string {
  const message: NotifyMessage | undefined = decodeNotify(body);
  if (!message) return '';
  // a delivery writes no window, so it needs no order
  return message.kind === 'delivery' ? message.id : message.jobId;
}

/** Messages in progress at once. As many targets that do not respond delay the deliveries to others. */
const MAX_IN_PROGRESS = 50;

/** Runs until the signal is aborted. Returns when the messages in progress are handled. */
export async function runNotifier(
  notifier: Notifier,
  receiver: Receiver,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = notifier.context;
  const inProgress = new Set<Promise<void>>();
  const lastOf = new Map<string, Promise<void>>();
  const start = (received: Received) => {
    const job = jobOf(received.body);
    const previous = lastOf.get(job);
    const handled: Promise<void> = (previous ?? Promise.resolve())
      .then(() => handle(notifier, received))
      .finally(() => {
        inProgress.delete(handled);
        if (lastOf.get(job) === handled) lastOf.delete(job);
      });
    lastOf.set(job, handled);
    inProgress.add(handled);
  };
  while (!signal.aborted) {
    try {
      while (inProgress.size >= MAX_IN_PROGRESS) await Promise.race(inProgress);
      for (const received of await receiver.receive(Math.min(10, MAX_IN_PROGRESS - inProgress.size), signal))
        start(received);
    } catch (error) {
      log.error('failed to receive from the notify queue', { error });
      await clock.sleep(RECEIVE_PAUSE_MS, signal);
    }
  }
  await Promise.all(inProgress);
}

async function handle(notifier: Notifier, received: Received): Promise<void> {
  const { log } = notifier.context;
  const outcome = await consume(notifier, received.body, received.receiveCount ?? 1);
  try {
    if (outcome.kind === 'done') await received.delete();
    else if (outcome.kind === 'later') await received.setVisibility(outcome.ms);
    else {
      log.warn('notification cannot be delivered; moving it to the dead-letter queue', {
        reason: outcome.reason,
      });
      await received.deadLetter(outcome.reason);
    }
  } catch (error) {
    log.warn('failed to delete, delay or dead-letter a notify message; it will be redelivered', {
      error: String(error),
    });
  }
}
