// The work queue of an embedded server: messages in memory, by owner and delivery time. Owners with visible messages take turns.
// The queue is lost with the process. The next start fills it from the tables.

import type { Timer } from '../../concurrency/timer.ts';
import { type Admit, groupOf, type Message, type Queue, type Received, type Receiver } from '../queue.ts';
import { encode } from '../sqs/message-body.ts';
import { type OwnedItem, OwnerTurns } from './owner-turns.ts';

export interface WorkQueueOptions {
  readonly timer: Timer;
  /** A message is delivered this long before its fire time. A worker must have it before its earliest claim. */
  readonly earlyMs: number;
  /** A received message is hidden for this long. */
  readonly visibilityMs: number;
  /** A message that cannot be handled was dropped. */
  onDeadLetter(body: string, reason: string): void;
}

export interface WorkQueue {
  readonly queue: Queue;
  readonly receiver: Receiver;
  /** Number of messages, received ones included. */
  size(): number;
}

interface Parked extends OwnedItem {
  readonly message: Message;
  /** Number of deliveries. Only the last receiver may hide the message. */
  receives: number;
}

interface WaitingReceive {
  readonly max: number;
  readonly admit: Admit | undefined;
  resolve(received: Received[]): void;
}

/** Identifies a message by its content: one execution, one revision, one fire time. */
const contentOf = ({ jobId, due, revision, fireAt }: Message): string =>
  `${jobId}.${due}.${revision}.${fireAt}`;

export function createWorkQueue({ timer, earlyMs, visibilityMs, onDeadLetter }: WorkQueueOptions): WorkQueue {
  const parked = new OwnerTurns<Parked>();
  /**
   * Messages that no receiver has had yet, by content. The writer of a schedule and the watcher both send the first minutes of
   * it. A second message with the same content is dropped while the first waits.
   */
  const undelivered = new Set<string>();
  /** Waiting waitingReceives, first come, first served. */
  const waitingReceives = new Set<WaitingReceive>();
  let sent = 0;
  /** The only timer, for the next delivery. */
  let alarm: { readonly at: number; readonly off: AbortController } | undefined;

  /** At most `max` visible messages, one of each owner in turn. Messages that `admit` refuses stay. */
  function take(max: number, admit: Admit | undefined): Received[] {
    const now = timer.now();
    const taken: Received[] = [];
    parked.takeVisible(now, max, (next) => {
      if (admit && !admit(next.message)) return false;
      if (next.receives === 0) undelivered.delete(contentOf(next.message));
      next.receives++;
      parked.put(next, now + visibilityMs);
      taken.push(received(next, now));
      return true;
    });
    return taken;
  }

  function received(one: Parked, receivedAt: number): Received {
    const { message, receives } = one;
    return {
      message,
      get body() {
        return encode(message);
      },
      receivedAt,
      receiveCount: receives,
      async delete() {
        parked.remove(one);
      },
      async setVisibility(ms) {
        // the message was received again since, or is deleted
        if (one.receives !== receives || one.index < 0) return;
        parked.put(one, timer.now() + Math.max(0, ms));
        deliver();
      },
      async deadLetter(reason) {
        parked.remove(one);
        onDeadLetter(encode(message), reason);
      },
    };
  }

  /** Serves waiting receives, then sets the timer for the next delivery. */
  function deliver(): void {
    for (const waiting of waitingReceives) {
      const taken = take(waiting.max, waiting.admit);
      if (taken.length === 0) continue;
      waitingReceives.delete(waiting);
      waiting.resolve(taken);
    }
    const next = parked.nextAt;
    if (waitingReceives.size === 0 || next === undefined || (alarm && alarm.at <= next)) return;
    alarm?.off.abort();
    void ringAt(next);
  }

  async function ringAt(at: number): Promise<void> {
    const own = { at, off: new AbortController() };
    alarm = own;
    await timer.sleep(at - timer.now(), own.off.signal);
    if (alarm !== own) return;
    alarm = undefined;
    deliver();
  }

  return {
    queue: {
      async send(messages) {
        for (const message of messages) {
          const content = contentOf(message);
          if (undelivered.has(content)) continue;
          undelivered.add(content);
          const owner = groupOf(message);
          parked.put(
            { message, owner, at: 0, order: sent++, index: -1, receives: 0 },
            message.fireAt - earlyMs,
          );
        }
        deliver();
      },
    },
    receiver: {
      async receive(max, signal, admit) {
        if (signal.aborted) return [];
        const taken = take(max, admit);
        if (taken.length > 0) {
          // else a receiver that asks again would have thousands of messages in one turn of the event loop
          await new Promise((resolve) => setImmediate(resolve));
          return taken;
        }
        const { promise, resolve } = Promise.withResolvers<Received[]>();
        const waiting = { max, admit, resolve };
        const leave = () => {
          waitingReceives.delete(waiting);
          resolve([]);
        };
        waitingReceives.add(waiting);
        signal.addEventListener('abort', leave, { once: true });
        deliver();
        return promise.finally(() => signal.removeEventListener('abort', leave));
      },
      recheck() {
        if (waitingReceives.size > 0) deliver();
      },
    },
    size: () => parked.size,
  };
}
