// What a pass of a watcher is made of: lanes that go on by themselves, and the CPU that they share.
import { type Calendar, TICKS_PER_MS } from './calendar.ts';

export type Then = () => void;

/** A part of a vCPU, as Lambda gives it. */
export class LambdaCpu {
  busyMs = 0;
  readonly #calendar: Calendar;
  readonly #speed: number;
  #freeAt = 0;

  constructor(calendar: Calendar, speed: number) {
    this.#calendar = calendar;
    // Node does its work on one thread, whatever there is more
    this.#speed = Math.min(1, speed);
  }

  spend(ms: number): number {
    this.busyMs += ms;
    this.#freeAt = Math.max(this.#calendar.now, this.#freeAt) + (ms / this.#speed) * TICKS_PER_MS;
    return this.#freeAt;
  }
}

/** `count` lanes; when all are over, `then`. */
export function together(count: number, lane: (over: Then) => void, then: Then): void {
  let open = count;
  const over = () => {
    if (--open === 0) then();
  };
  for (let i = 0; i < count; i++) lane(over);
}
