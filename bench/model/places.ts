// The places of the workers, one per running task, and the executions that wait for one (src/worker/places.ts).
import type { Calendar } from './calendar.ts';

export class Places {
  readonly #calendar: Calendar;
  readonly #free: Int32Array;
  readonly #waiting: number[][];
  #open = 0;
  /** Ticks that places were used, minus the start tick of every place that is still used. */
  #ticks = 0;

  constructor(calendar: Calendar, workers: number, placesPerWorker: number) {
    this.#calendar = calendar;
    this.#free = new Int32Array(workers).fill(placesPerWorker);
    this.#waiting = Array.from({ length: workers }, () => []);
  }

  free(worker: number): number {
    return this.#free[worker] as number;
  }

  /** False if no place is free. */
  acquire(worker: number): boolean {
    if (this.free(worker) === 0) return false;
    this.#free[worker] = this.free(worker) - 1;
    this.#open++;
    this.#ticks -= this.#calendar.now;
    return true;
  }

  wait(worker: number, execution: number): void {
    this.#waiting[worker]?.push(execution);
  }

  /**
   * Hands the place to the execution that has waited longest, and returns it. Undefined if none waits, and the place is free.
   */
  release(worker: number, stillWaits: (execution: number) => boolean): number | undefined {
    const waiting = this.#waiting[worker] as number[];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (stillWaits(next)) return next;
    }
    this.#free[worker] = this.free(worker) + 1;
    this.#open--;
    this.#ticks += this.#calendar.now;
    return undefined;
  }

  /** The sum of the ticks that places were used, until now. */
  usedTicks(now: number): number {
    return this.#ticks + this.#open * now;
  }
}
