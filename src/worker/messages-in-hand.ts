// The messages that a worker has received and not yet completed, by owner. An owner with many messages must not occupy the room of
// all others, because a worker without room does not poll.
import type { FairShare } from '../concurrency/fair-share.ts';

interface Counts {
  all: number;
  due: number;
}

export interface HandLimits {
  /** Maximum number of messages. */
  readonly maxAll: number;
  /** Maximum number of messages that are due. Messages that become due in the worker may exceed it. */
  readonly maxDue: number;
}

export class MessagesInHand {
  readonly #limits: HandLimits;
  readonly #share: FairShare;
  /** Due messages that the worker may receive although `maxDue` is reached: the share of a third owner. */
  readonly #spareDue: number;
  readonly #owners = new Map<string, Counts>();
  #all = 0;
  #due = 0;

  constructor(limits: HandLimits, share: FairShare) {
    this.#limits = limits;
    this.#share = share;
    this.#spareDue = Math.ceil(limits.maxDue / (1 + share.alpha) ** 2);
  }

  get size(): number {
    return this.#all;
  }

  /** The number of messages that may be received, if they are of other owners than those in hand. */
  get room(): number {
    return Math.min(this.#limits.maxAll - this.#all, this.#dueRoom);
  }

  /** Adds a message of the owner. False if the owner has its share, and the message is not added. */
  tryAdd(owner: string): boolean {
    const { maxAll, maxDue } = this.#limits;
    const { all, due } = this.#owners.get(owner) ?? { all: 0, due: 0 };
    const isRoom =
      this.#share.allows(all, { size: maxAll, free: maxAll - this.#all }) &&
      this.#share.allows(due, { size: maxDue, free: this.#dueRoom });
    if (isRoom) this.#change(owner, 1, 0);
    return isRoom;
  }

  remove(owner: string): void {
    this.#change(owner, -1, 0);
  }

  addDue(owner: string): void {
    this.#change(owner, 0, 1);
  }

  removeDue(owner: string): void {
    this.#change(owner, 0, -1);
  }

  /** Counts a message for its owner, which was not known when it was added. */
  reassign(from: string, to: string, isDue: boolean): void {
    this.#change(from, -1, isDue ? -1 : 0);
    this.#change(to, 1, isDue ? 1 : 0);
  }

  get #dueRoom(): number {
    return Math.max(this.#limits.maxDue - this.#due, this.#spareDue);
  }

  #change(owner: string, all: number, due: number): void {
    const counts = this.#owners.get(owner) ?? { all: 0, due: 0 };
    counts.all += all;
    counts.due += due;
    this.#all += all;
    this.#due += due;
    if (counts.all === 0 && counts.due === 0) this.#owners.delete(owner);
    else this.#owners.set(owner, counts);
  }
}
