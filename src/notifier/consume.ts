// The consumer of the notify queue: what becomes of each message, and the loop of a process that is always there.

import { type Answer, type Notifier, notify } from '../notifications/handle-notification.ts';
import { decodeNotify, type NotifyMessage } from '../queue/notify-queue.ts';
import type { Received, Receiver } from '../queue/queue.ts';

const AFTER_A_FAILURE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;

/** Never throws: what fails for a passing reason is to come again. */
export async function consume(notifier: Notifier, body: string, times: number): Promise<Answer> {
  const message = decodeNotify(body);
  if (!message) return { kind: 'never', reason: 'it is no message of this queue' };
  try {
    return await notify(notifier, message, times);
  } catch (error) {
    notifier.context.log.error('a notification is not told yet', { kind: message.kind, error });
    return { kind: 'later', ms: Math.min(AFTER_A_FAILURE_MS * 2 ** times, MAX_PAUSE_MS) };
  }
}

/** What is about the same job goes one after the other: it is the same notice that they count in. */
export function jobOf(body: string): string {
  const message: NotifyMessage | undefined = decodeNotify(body);
  if (!message) return '';
  // deliveries are in nobody's way
  return message.kind === 'delivery' ? message.id : message.jobId;
}

/** Messages in hand at once; receivers that hang keep the others waiting only when there are so many. */
const AT_ONCE = 50;

/** Until the signal; returns when what was in hand is done with. */
export async function runNotifier(notifier: Notifier, inbox: Receiver, signal: AbortSignal): Promise<void> {
  const { clock, log } = notifier.context;
  const inHand = new Set<Promise<void>>();
  const lastOf = new Map<string, Promise<void>>();
  const take = (received: Received) => {
    const job = jobOf(received.body);
    const before = lastOf.get(job);
    const handled: Promise<void> = (before ?? Promise.resolve())
      .then(() => handle(notifier, received))
      .finally(() => {
        inHand.delete(handled);
        if (lastOf.get(job) === handled) lastOf.delete(job);
      });
    lastOf.set(job, handled);
    inHand.add(handled);
  };
  while (!signal.aborted) {
    try {
      while (inHand.size >= AT_ONCE) await Promise.race(inHand);
      for (const received of await inbox.receive(Math.min(10, AT_ONCE - inHand.size), signal)) take(received);
    } catch (error) {
      log.error('the notify queue does not answer', { error });
      await clock.sleep(AFTER_A_FAILURE_MS, signal);
    }
  }
  await Promise.all(inHand);
}

async function handle(notifier: Notifier, received: Received): Promise<void> {
  const { log } = notifier.context;
  const answer = await consume(notifier, received.body, received.receiveCount ?? 1);
  try {
    if (answer.kind === 'done') await received.delete();
    else if (answer.kind === 'later') await received.setVisibility(answer.ms);
    else {
      log.warn('a notification cannot be delivered', { reason: answer.reason });
      await received.deadLetter(answer.reason);
    }
  } catch (error) {
    log.warn('a message of the notify queue will come again', { error: String(error) });
  }
}
