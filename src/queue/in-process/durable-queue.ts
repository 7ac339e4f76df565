// A queue whose messages are rows of a table. A message outlives the process and is delivered again until it is deleted. One
// process sends and receives.

import type { Timer } from '../../concurrency/timer.ts';
import type { Received, Receiver } from '../queue.ts';
import { createWaiting } from './waiting.ts';

/** The store's table of messages. Times are epoch milliseconds, `expiresAt` is epoch seconds. */
export interface MessageTable {
  send(queue: string, bodies: readonly string[], visibleAt: number, expiresAt: number): Promise<void>;
  receive(
    queue: string,
    max: number,
    now: number,
    until: number,
    receipt: string,
  ): Promise<{ id: number; body: string; times: number }[]>;
  nextVisibleAt(queue: string): number | undefined;
  remove(id: number): Promise<void>;
  hide(id: number, receipt: string, until: number): Promise<boolean>;
  move(id: number, queue: string, reason: string, visibleAt: number, expiresAt: number): Promise<void>;
}

export interface DurableQueueOptions {
  readonly table: MessageTable;
  readonly name: string;
  /** The queue of messages that cannot be handled. */
  readonly deadLetters: string;
  readonly visibilitySeconds: number;
  /** A message that was received more often is moved to the dead letters. */
  readonly maxReceiveCount: number;
  readonly retentionSeconds: number;
  readonly deadLetterRetentionSeconds: number;
  readonly timer: Timer;
  /** A fresh id for a receipt. */
  id(): string;
}

export interface DurableQueue {
  /** Returns when the messages are on the disk. One commit holds all of them. */
  send(bodies: readonly string[], delayMs?: number): Promise<void>;
  readonly receiver: Receiver;
}

export function createDurableQueue(options: DurableQueueOptions): DurableQueue {
  const { table, name, deadLetters, timer, maxReceiveCount } = options;
  const visibilityMs = options.visibilitySeconds * 1_000;
  const waiting = createWaiting(timer);
  const expiresAfter = (seconds: number) => Math.ceil(timer.now() / 1_000) + seconds;

  const deadLetter = (id: number, reason: string) =>
    table.move(id, deadLetters, reason, timer.now(), expiresAfter(options.deadLetterRetentionSeconds));

  async function take(max: number): Promise<Received[]> {
    const receipt = options.id();
    const receivedAt = timer.now();
    const found = await table.receive(name, max, receivedAt, receivedAt + visibilityMs, receipt);
    const spent = found.filter(({ times }) => times > maxReceiveCount);
    for (const { id } of spent) await deadLetter(id, `received ${maxReceiveCount} times without success`);
    return found
      .filter((one) => !spent.includes(one))
      .map(({ id, body, times }) => ({
        message: undefined,
        body,
        receivedAt,
        receiveCount: times,
        delete: () => table.remove(id),
        async setVisibility(ms) {
          await table.hide(id, receipt, Math.ceil(timer.now() + Math.max(0, ms)));
          waiting.wake();
        },
        deadLetter: (reason) => deadLetter(id, reason),
      }));
  }

  return {
    async send(bodies, delayMs = 0) {
      await table.send(
        name,
        bodies,
        Math.ceil(timer.now() + delayMs),
        expiresAfter(options.retentionSeconds),
      );
      waiting.wake();
    },
    receiver: {
      async receive(max, signal) {
        while (!signal.aborted) {
          // a read, which costs no commit
          const waitMs = (table.nextVisibleAt(name) ?? Number.POSITIVE_INFINITY) - timer.now();
          if (waitMs > 0) await waiting.wait(waitMs, signal);
          else {
            const taken = await take(max);
            if (taken.length > 0) return taken;
          }
        }
        return [];
      },
    },
  };
}
