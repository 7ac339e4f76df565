// The work queue of an embedded server: messages in memory, in one heap by delivery time. The queue is lost with the process.
// The next start fills it from the tables.

import type { Timer } from '../../concurrency/timer.ts';
import type { Message, Queue, Received, Receiver } from '../queue.ts';
import { encode } from '../sqs/message-body.ts';
import { Heap, type HeapItem } from './heap.ts';

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

interface Parked extends HeapItem {
  readonly message: Message;
  /** Number of deliveries. Only the last receiver may hide the message. */
  receives: number;
}

interface WaitingReceive {
  readonly max: number;
  resolve(received: Received[]): void;
}

/** Identifies a message by its content: one execution, one revision, one fire time. */
const contentOf = ({ jobId, due, revision, fireAt }: Message): string =>
  `${jobId}.${due}.${revision}.${fireAt}`;

export function createWorkQueue({ timer, earlyMs, visibilityMs, onDeadLetter }: WorkQueueOptions): WorkQueue {
  const heap = new Heap<Parked>();
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

  /** At most `max` visible messages, earliest first. */
  function take(max: number): Received[] {
    const now = timer.now();
    const taken: Received[] = [];
    for (let next = heap.first; next && next.at <= now && taken.length < max; next = heap.first) {
      if (next.receives === 0) undelivered.delete(contentOf(next.message));
      next.receives++;
      heap.put(next, now + visibilityMs);
      taken.push(received(next, now));
    }
    return taken;
  }

  function received(parked: Parked, receivedAt: number): Received {
    const { message, receives } = parked;
    return {
      message,
      get body() {
        return encode(message);
      },
      receivedAt,
      receiveCount: receives,
      async delete() {
        heap.remove(parked);
      },
      async setVisibility(ms) {
        // the message was received again since, or is deleted
        if (parked.receives !== receives || parked.index < 0) return;
        heap.put(parked, timer.now() + Math.max(0, ms));
        deliver();
      },
      async deadLetter(reason) {
        heap.remove(parked);
        onDeadLetter(encode(message), reason);
      },
    };
  }

  /** Serves waiting receives, then sets the timer for the next delivery. */
  function deliver(): void {
    for (const waiting of waitingReceives) {
      const taken = take(waiting.max);
      if (taken.length === 0) break;
      waitingReceives.delete(waiting);
      waiting.resolve(taken);
    }
    const next = heap.first;
    if (waitingReceives.size === 0 || !next || (alarm && alarm.at <= next.at)) return;
    alarm?.off.abort();
    void ringAt(next.at);
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
          heap.put({ message, at: 0, order: sent++, index: -1, receives: 0 }, message.fireAt - earlyMs);
        }
        deliver();
      },
    },
    receiver: {
      async receive(max, signal) {
        if (signal.aborted) return [];
        const taken = take(max);
        if (taken.length > 0) return taken;
        const { promise, resolve } = Promise.withResolvers<Received[]>();
        const waiting = { max, resolve };
        const leave = () => {
          waitingReceives.delete(waiting);
          resolve([]);
        };
        waitingReceives.add(waiting);
        signal.addEventListener('abort', leave, { once: true });
        deliver();
        return promise.finally(() => signal.removeEventListener('abort', leave));
      },
    },
    size: () => heap.size,
  };
}
