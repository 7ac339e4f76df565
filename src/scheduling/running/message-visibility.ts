// The visibility of a message that a worker handles. Other workers do not receive it until it is deleted or returned.
import { Stopper } from '../../concurrency/stopper.ts';
import type { Message, Received } from '../../queue/queue.ts';
import type { Context } from '../context.ts';

/** The end of a message: it is deleted, or it is visible again after `returnAfterMs`. */
export type MessageEnd = 'delete' | { readonly returnAfterMs: number };

export interface HiddenMessage {
  /**
   * Whether the queue may have delivered the message again, because it could not be hidden in time. Another worker may then
   * delete it, so the execution must not depend on it.
   */
  mayBeRedelivered(): boolean;
  /** Sends a copy of the message if the message may have been redelivered. `release` waits for the copy. */
  replaceIfRedelivered(message: Message): void;
  /** Stops hiding the message. */
  release(): Promise<void>;
}

/** Hides a message while `work` runs, then deletes or returns it. If `work` fails, the message returns after clockSkewMs. */
export async function whileHidden(
  context: Context,
  received: Received,
  work: (hidden: HiddenMessage) => Promise<MessageEnd>,
): Promise<void> {
  const hidden = keepHidden(context, received);
  let end: MessageEnd = { returnAfterMs: context.settings.clockSkewMs };
  try {
    end = await work(hidden);
  } finally {
    await hidden.release();
    if (end !== 'delete') await returnToQueue(context, received, end.returnAfterMs);
    // another worker may have claimed the execution by the redelivered message, and depends on it now
    else if (!hidden.mayBeRedelivered()) await received.delete();
  }
}

/**
 * Returns the message, visible after `afterMs`. A message that waits is delivered many times. Before the queue would move it to the
 * dead letters, a new copy replaces it. After a kill between the two calls both exist, and a duplicate is harmless.
 */
export async function returnToQueue(
  { queue }: Pick<Context, 'queue'>,
  received: Received,
  afterMs: number,
): Promise<void> {
  const { message, receiveCount = 1, maxReceives = Number.POSITIVE_INFINITY } = received;
  if (!message || receiveCount < maxReceives / 2) return received.setVisibility(afterMs);
  await queue.send([message]);
  await received.delete();
}

/** Hides a message for the length of a lease, and again with every heartbeat until it is released. */
export function keepHidden(context: Context, received: Received): HiddenMessage {
  const { clock, settings, log } = context;
  const { heartbeatMs, leaseMs, clockSkewMs } = settings;
  const over = new Stopper();
  // clockSkewMs less, because the visibility timeout began before the message arrived
  let hiddenUntil = clock.monotonic() + leaseMs - clockSkewMs;
  const mayBeRedelivered = () => clock.monotonic() >= hiddenUntil;
  let sent: Promise<void> | undefined;

  const hiding = (async () => {
    while (!over.aborted) {
      await clock.sleep(heartbeatMs, over);
      if (over.aborted) return;
      const calledAt = clock.monotonic();
      try {
        await received.setVisibility(leaseMs);
        if (!mayBeRedelivered()) hiddenUntil = calledAt + leaseMs - clockSkewMs;
      } catch (error) {
        log.warn('failed to extend the visibility timeout of a message', { error: String(error) });
      }
    }
  })();
  return {
    mayBeRedelivered,
    replaceIfRedelivered(message) {
      if (mayBeRedelivered()) sent = sendCopy(context, message);
    },
    async release() {
      over.stop();
      await hiding;
      await sent;
    },
  };
}

/**
 * Another worker may have deleted the message because it saw the job before this claim. Without a copy, the execution would
 * have no message if this worker died, and would stand until it is settled.
 */
async function sendCopy({ queue, clock, settings, log }: Context, message: Message): Promise<void> {
  const now = clock.now();
  await queue
    .send([{ ...message, fireAt: now + settings.leaseMs, enqueuedAt: now }])
    .catch((error) => log.warn('failed to send a copy of a message', { error: String(error) }));
}
