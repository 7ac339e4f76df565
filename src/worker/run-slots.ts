// The run slots of a worker: one per running task, a queue of due messages that wait for one, and reservations of early claims.
import type { Clock } from '../scheduling/context.ts';
import { NO_LONGER_NEEDED } from '../scheduling/running/message-visibility.ts';

/**
 * How long a due message waits for a run slot before it returns to the queue. Short jobs free slots within this time. If they do
 * not, a worker with free slots should have the message. A full worker does not poll, so the message comes back once at most.
 */
export const SLOT_WAIT_MS = 1000;
/** The longest wait if a slot is expected within SLOT_WAIT_MS, by the average run time and the length of the queue. */
export const MAX_SLOT_WAIT_MS = 5000;
/** Reservations per slot, at most. */
export const MAX_RESERVED_PER_SLOT = 50;
/** The weight of a new run time in the average is one in SMOOTHING. */
const SMOOTHING = 20;

export class RunSlots {
  readonly #size: number;
  readonly #clock: Clock;
  readonly #waiting: ((acquired: boolean) => void)[] = [];
  #acquired = 0;
  #reserved = 0;
  #closed = false;
  /** The average run time. Undefined until a task has ended, or a wait for a slot has failed. */
  #averageRunMs: number | undefined;

  constructor(size: number, clock: Clock) {
    this.#size = size;
    this.#clock = clock;
  }

  get free(): number {
    return this.#size - this.#acquired;
  }

  /**
   * Reserves a slot for an early claim. At most the free slots plus the slots that short tasks are expected to free can be
   * reserved. A new worker expects short tasks: a reservation that fails costs a claim and its undo. A missing one costs many
   * jobs seconds, because a claim at the fire time needs a slot first.
   */
  reserve(): boolean {
    const expected =
      this.#averageRunMs === undefined ? MAX_RESERVED_PER_SLOT : (2 * SLOT_WAIT_MS) / this.#averageRunMs;
    const perSlot = Math.min(MAX_RESERVED_PER_SLOT, Math.max(1, expected));
    if (this.#reserved >= this.#size * (perSlot - 1) + this.free) return false;
    this.#reserved++;
    return true;
  }

  /** Ends a reservation: the slot is acquired now, or is not needed any more. */
  unreserve(): void {
    this.#reserved--;
  }

  /** Acquires a slot, at once or in the order of the calls. False if the wait is too long or the slots are closed. */
  async acquire(): Promise<boolean> {
    if (this.#closed) return false;
    if (this.free > 0) {
      this.#acquired++;
      return true;
    }
    const settled = new AbortController();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const settle = (acquired: boolean) => {
      settled.abort(NO_LONGER_NEEDED);
      resolve(acquired);
    };
    this.#waiting.push(settle);
    void this.#giveUp(settle, settled.signal);
    return promise;
  }

  /** Ends the wait after SLOT_WAIT_MS, or after MAX_SLOT_WAIT_MS if a slot is expected soon. */
  async #giveUp(settle: (acquired: boolean) => void, settled: AbortSignal): Promise<void> {
    await this.#clock.sleep(SLOT_WAIT_MS, settled);
    if (settled.aborted) return;
    if (this.#comesSoon(this.#waiting.indexOf(settle) + 1))
      await this.#clock.sleep(MAX_SLOT_WAIT_MS - SLOT_WAIT_MS, settled);
    if (settled.aborted) return;
    // no task has ended in all this time, so they are not short
    this.#averageRunMs ??= SLOT_WAIT_MS;
    this.#waiting.splice(this.#waiting.indexOf(settle), 1);
    settle(false);
  }

  /** Whether the waiter at this position of the queue, counted from 1, gets a slot soon. */
  #comesSoon(position: number): boolean {
    return this.#averageRunMs !== undefined && (position / this.#size) * this.#averageRunMs < SLOT_WAIT_MS;
  }

  /** Passes the slot to the longest waiter. `ranForMs` is undefined if no task ran in it. */
  release(ranForMs: number | undefined): void {
    if (ranForMs !== undefined) {
      this.#averageRunMs ??= ranForMs;
      this.#averageRunMs += (ranForMs - this.#averageRunMs) / SMOOTHING;
    }
    const next = this.#waiting.shift();
    if (next) next(true);
    else this.#acquired--;
  }

  /** Ends all waits. No slot is acquired any more. */
  close(): void {
    this.#closed = true;
    for (const settle of this.#waiting.splice(0)) settle(false);
  }
}
