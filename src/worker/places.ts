// The places of a worker: one per running task, and due messages that wait for one. Owners share them by the rule of src/concurrency/fair-share.ts.
import { ExpiryLine } from '../concurrency/expiry-line.ts';
import { createFairShare, type FairShare } from '../concurrency/fair-share.ts';
import { Heap, type HeapItem } from '../concurrency/heap.ts';
import type { Clock } from '../scheduling/context.ts';

/**
 * How long a due message waits for a place before it returns to the queue. Short jobs free places within this time. If they do
 * not, a worker with free places should have the message.
 */
export const PLACE_WAIT_MS = 1000;
/** The longest wait if a place is expected within PLACE_WAIT_MS, by the owner's average run time and the length of its queue. */
export const MAX_PLACE_WAIT_MS = 5000;
/** The weight of a new run time in the average is one in SMOOTHING. */
const SMOOTHING = 20;

/** A due message that waits for a place. */
interface Waiter {
  readonly owner: Owner;
  isSettled: boolean;
  resolve(acquired: boolean): void;
}

/** An owner that holds or waits for places. In the heap of waiting owners, the one with the fewest places is first. */
interface Owner extends HeapItem {
  readonly name: string;
  order: number;
  held: number;
  readonly waiting: Waiter[];
  /** The average run time. Undefined until a task of the owner has ended, or a wait for a place has failed. */
  averageRunMs: number | undefined;
}

export class Places {
  readonly #size: number;
  /** Waits that are checked after PLACE_WAIT_MS, and those that end after MAX_PLACE_WAIT_MS. */
  readonly #firstWaits: ExpiryLine<Waiter>;
  readonly #longWaits: ExpiryLine<Waiter>;
  readonly #share: FairShare;
  readonly #maxOf: (owner: string) => number;
  readonly #owners = new Map<string, Owner>();
  readonly #waitingOwners = new Heap<Owner>();
  #acquired = 0;
  #turns = 0;
  #closed = false;
  /** The average run time of all owners. Undefined until a task has ended, or a wait for a place has failed. */
  #averageRunMs: number | undefined;

  /** `maxOf` is the maximum number of places of an owner, besides its share. */
  constructor(
    size: number,
    clock: Clock,
    share: FairShare = createFairShare(),
    maxOf: (owner: string) => number = () => Number.POSITIVE_INFINITY,
  ) {
    this.#size = size;
    this.#firstWaits = new ExpiryLine(clock, PLACE_WAIT_MS, (waiter) => this.#checkWait(waiter));
    this.#longWaits = new ExpiryLine(clock, MAX_PLACE_WAIT_MS - PLACE_WAIT_MS, (waiter) =>
      this.#giveUp(waiter),
    );
    this.#share = share;
    this.#maxOf = maxOf;
  }

  get free(): number {
    return this.#size - this.#acquired;
  }

  /** The number of places that the owner holds. */
  heldBy(name: string): number {
    return this.#owners.get(name)?.held ?? 0;
  }

  /**
   * Acquires a place, at once or after a wait. False if the wait is too long or the places are closed. The waits of one owner are
   * served in the order of the calls.
   */
  async acquire(name: string): Promise<boolean> {
    if (this.#closed) return false;
    const owner = this.#owner(name);
    // an owner that waits is over its share, so this call does not overtake an earlier one
    if (this.#allows(owner)) {
      this.#take(owner);
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { owner, isSettled: false, resolve };
    owner.waiting.push(waiter);
    if (owner.index < 0) this.#queue(owner);
    this.#firstWaits.add(waiter);
    return promise;
  }

  /** Whether a due message of this owner would get a place at once, or soon because its tasks are short. */
  isExpected(name: string): boolean {
    const owner = this.#owners.get(name);
    const held = owner?.held ?? 0;
    const isLimited = held >= this.#maxOf(name);
    if (!isLimited && this.#share.allows(held, { size: this.#size, free: this.free })) return true;
    // at its limit, an owner waits for its own tasks
    if (isLimited && held === 0) return false;
    return this.#comesSoon(owner, (owner?.waiting.length ?? 0) + 1) !== false;
  }

  /** Ends the wait, unless a place is expected soon. */
  #checkWait(waiter: Waiter): void {
    if (waiter.isSettled) return;
    const { owner } = waiter;
    if (this.#comesSoon(owner, owner.waiting.indexOf(waiter) + 1)) this.#longWaits.add(waiter);
    else this.#giveUp(waiter);
  }

  #giveUp(waiter: Waiter): void {
    if (waiter.isSettled) return;
    const { owner } = waiter;
    // no task has ended in all this time, so they are not short
    this.#averageRunMs ??= PLACE_WAIT_MS;
    if (owner.held > 0) owner.averageRunMs ??= PLACE_WAIT_MS;
    owner.waiting.splice(owner.waiting.indexOf(waiter), 1);
    if (owner.waiting.length === 0) this.#waitingOwners.remove(owner);
    this.#forgetIdle(owner);
    settle(waiter, false);
  }

  /**
   * Whether the waiter at this position of the owner's queue, counted from 1, gets a place soon. Undefined if no run time is known.
   * An owner that holds places waits for its own tasks. An owner without one waits for any task, in turn with other such owners.
   */
  #comesSoon(owner: Owner | undefined, position: number): boolean | undefined {
    const averageMs = averageOf(owner, this.#averageRunMs);
    if (averageMs === undefined) return undefined;
    if (owner && owner.held > 0) return (position / owner.held) * averageMs < PLACE_WAIT_MS;
    const turn = owner && owner.index >= 0 ? owner.order : Number.POSITIVE_INFINITY;
    let before = 0;
    for (const { held, order } of this.#waitingOwners.values()) if (held === 0 && order < turn) before++;
    return ((position * (before + 1)) / this.#size) * averageMs < PLACE_WAIT_MS;
  }

  /** Frees the place for the waiting owners. `ranForMs` is undefined if no task ran in it. */
  release(name: string, ranForMs: number | undefined): void {
    const owner = this.#owner(name);
    if (ranForMs !== undefined) {
      this.#averageRunMs = smoothed(this.#averageRunMs, ranForMs);
      owner.averageRunMs = smoothed(owner.averageRunMs, ranForMs);
    }
    owner.held--;
    this.#acquired--;
    if (owner.waiting.length > 0 && owner.index < 0) this.#queue(owner);
    else if (owner.index >= 0) this.#waitingOwners.put(owner, owner.held);
    for (let next = this.#waitingOwners.first; next; next = this.#waitingOwners.first) {
      if (this.#isLimited(next)) {
        // it must not keep others waiting, and is queued again when one of its own tasks ends
        this.#waitingOwners.remove(next);
        continue;
      }
      if (!this.#allows(next)) break;
      const waiter = next.waiting.shift();
      this.#take(next);
      if (next.waiting.length > 0) this.#queue(next);
      else this.#waitingOwners.remove(next);
      if (waiter) settle(waiter, true);
    }
    this.#forgetIdle(owner);
  }

  /** Ends all waits. No place is acquired any more. */
  close(): void {
    this.#closed = true;
    this.#firstWaits.close();
    this.#longWaits.close();
    for (const next of [...this.#owners.values()]) {
      this.#waitingOwners.remove(next);
      for (const waiter of next.waiting.splice(0)) settle(waiter, false);
      this.#forgetIdle(next);
    }
  }

  #allows(owner: Owner): boolean {
    return !this.#isLimited(owner) && this.#share.allows(owner.held, { size: this.#size, free: this.free });
  }

  /** Whether the owner holds as many places as it may, however many are free. */
  #isLimited({ name, held }: Owner): boolean {
    return held >= this.#maxOf(name);
  }

  #take(owner: Owner): void {
    owner.held++;
    this.#acquired++;
  }

  /** Puts the owner behind the waiting owners that hold as many places. */
  #queue(owner: Owner): void {
    owner.order = ++this.#turns;
    this.#waitingOwners.put(owner, owner.held);
  }

  #owner(name: string): Owner {
    const known = this.#owners.get(name);
    if (known) return known;
    const owner: Owner = {
      ...{ name, held: 0, waiting: [], averageRunMs: undefined },
      ...{ at: 0, order: 0, index: -1 },
    };
    this.#owners.set(name, owner);
    return owner;
  }

  #forgetIdle(owner: Owner): void {
    if (owner.held + owner.waiting.length === 0) this.#owners.delete(owner.name);
  }
}

function settle(waiter: Waiter, acquired: boolean): void {
  waiter.isSettled = true;
  waiter.resolve(acquired);
}

const averageOf = (owner: Owner | undefined, ofAll: number | undefined): number | undefined =>
  owner?.averageRunMs ?? ofAll;

const smoothed = (average: number | undefined, ms: number): number =>
  average === undefined ? ms : average + (ms - average) / SMOOTHING;
