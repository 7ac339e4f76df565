// The parts of a watcher's pass: parallel lanes, and the CPU that they share.
import { type Calendar, TICKS_PER_MS } from './calendar.ts';

export type Then = () => void;

/** The share of a vCPU that a Lambda function has. */
export class LambdaCpu {
  busyMs = 0;
  readonly #calendar: Calendar;
  readonly #speed: number;
  #freeAt = 0;

  constructor(calendar: Calendar, speed: number) {
    this.#calendar = calendar;
    // Node uses one thread, so more than one vCPU does not help.
    this.#speed = Math.min(1, speed);
  }

  spend(ms: number): number {
    this.busyMs += ms;
    this.#freeAt = Math.max(this.#calendar.now, this.#freeAt) + (ms / this.#speed) * TICKS_PER_MS;
    return this.#freeAt;
  }
}

/** Starts `count` lanes, and calls `then` when all have ended. */
export function inParallel(count: number, lane: (over: Then) => void, then: Then): void {
  let open = count;
  const over = () => {
    if (--open === 0) then();
  };
  for (let i = 0; i < count; i++) lane(over);
}
