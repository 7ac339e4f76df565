// The work queue of one process: messages in memory, one heap by the time of delivery. Nothing here survives the process;
// at the next start the queue is filled again from the tables.
import type { Timer } from '../batch.ts';
import { encode } from '../message.ts';
import type { Inbox, Message, Queue, Received } from '../queue.ts';
import { Heap, type HeapItem } from './heap.ts';

export interface WorkQueueOptions {
  readonly timer: Timer;
  /** How long before its fire time a message is handed out: as early as a worker can make use of it, and a little more. */
  readonly aheadMs: number;
  /** How long a message is hidden from others once received. */
  readonly visibilityMs: number;
  /** Told of a message that cannot be handled; it is dropped. */
  onBuried(body: string, reason: string): void;
}

export interface WorkQueue {
  readonly queue: Queue;
  readonly inbox: Inbox;
  /** Messages in it, those in hand included. */
  size(): number;
}

interface Parked extends HeapItem {
  readonly message: Message;
  /** How often it was handed out. Only the last one to receive it may hide it. */
  times: number;
}

interface Receiver {
  readonly max: number;
  resolve(received: Received[]): void;
}

export function createWorkQueue({ timer, aheadMs, visibilityMs, onBuried }: WorkQueueOptions): WorkQueue {
  const heap = new Heap<Parked>();
  /** Those that wait, first come, first served. */
  const receivers = new Set<Receiver>();
  let sent = 0;
  /** The one timer: when it rings, and what ends it before. */
  let alarm: { readonly at: number; readonly off: AbortController } | undefined;

  /** What is visible now, at most `max`, by its time. (Owners would take turns here.) */
  function take(max: number): Received[] {
    const now = timer.now();
    const taken: Received[] = [];
    for (let next = heap.first; next && next.at <= now && taken.length < max; next = heap.first) {
      next.times++;
      heap.put(next, now + visibilityMs);
      taken.push(received(next, now));
    }
    return taken;
  }

  function received(parked: Parked, receivedAt: number): Received {
    const { message, times } = parked;
    return {
      message,
      get body() {
        return encode(message);
      },
      receivedAt,
      times,
      async delete() {
        heap.remove(parked);
      },
      async hide(ms) {
        // it is in other hands, or gone
        if (parked.times !== times || parked.place < 0) return;
        heap.put(parked, timer.now() + Math.max(0, ms));
        deliver();
      },
      async bury(reason) {
        heap.remove(parked);
        onBuried(encode(message), reason);
      },
    };
  }

  /** Hands out what is visible to those that wait, and sets the alarm for what comes next. */
  function deliver(): void {
    for (const receiver of receivers) {
      const taken = take(receiver.max);
      if (taken.length === 0) break;
      receivers.delete(receiver);
      receiver.resolve(taken);
    }
    const next = heap.first;
    if (receivers.size === 0 || !next || (alarm && alarm.at <= next.at)) return;
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
        for (const message of messages)
          heap.put({ message, at: 0, order: sent++, place: -1, times: 0 }, message.fireAt - aheadMs);
        deliver();
      },
    },
    inbox: {
      async receive(max, signal) {
        if (signal.aborted) return [];
        const taken = take(max);
        if (taken.length > 0) return taken;
        const { promise, resolve } = Promise.withResolvers<Received[]>();
        const receiver = { max, resolve };
        const leave = () => {
          receivers.delete(receiver);
          resolve([]);
        };
        receivers.add(receiver);
        signal.addEventListener('abort', leave, { once: true });
        deliver();
        return promise.finally(() => signal.removeEventListener('abort', leave));
      },
    },
    size: () => heap.size,
  };
}
