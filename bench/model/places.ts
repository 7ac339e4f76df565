// The places of the workers: one per running task, and who waits for one (src/worker/run-slots.ts).
import type { Calendar } from './calendar.ts';

export class Places {
  readonly #calendar: Calendar;
  readonly #free: Int32Array;
  readonly #waiting: number[][];
  #open = 0;
  /** Ticks that places were taken, less the tick of every one that still is. */
  #ticks = 0;

  constructor(calendar: Calendar, workers: number, places: number) {
    this.#calendar = calendar;
    this.#free = new Int32Array(workers).fill(places);
    this.#waiting = Array.from({ length: workers }, () => []);
  }

  free(worker: number): number {
    return this.#free[worker] as number;
  }

  take(worker: number): boolean {
    if (this.free(worker) === 0) return false;
    this.#free[worker] = this.free(worker) - 1;
    this.#open++;
    this.#ticks -= this.#calendar.now;
    return true;
  }

  wait(worker: number, execution: number): void {
    this.#waiting[worker]?.push(execution);
  }

  /** The place goes to who has waited longest and still does; free if nobody. */
  leave(worker: number, stillWaits: (execution: number) => boolean): number | undefined {
    const waiting = this.#waiting[worker] as number[];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (stillWaits(next)) return next;
    }
    this.#free[worker] = this.free(worker) + 1;
    this.#open--;
    this.#ticks += this.#calendar.now;
    return undefined;
  }

  /** Places times ticks, until now. */
  taken(now: number): number {
    return this.#ticks + this.#open * now;
  }
}
