// How many tasks run at once: a place per running task, a queue in front, and slots promised to jobs that are taken a little
// ahead of their time.
import type { Clock } from '../scheduling/context.ts';
import { NO_LONGER_NEEDED } from '../scheduling/running/message-visibility.ts';

/**
 * How long a due message waits here for a place before it is handed back. Short jobs free slots within this; when
 * they do not, a worker with free slots should have it. It does not go to and fro: who is full begins no poll, and
 * one that was under way can bring it back once.
 */
export const SLOT_WAIT_MS = 1000;
/** Where its turn comes within SLOT_WAIT_MS, judged by how long tasks run and how many wait. */
export const MAX_SLOT_WAIT_MS = 5000;
/** To come, for each place. */
export const MAX_RESERVED_PER_SLOT = 50;
/** Of the average time that a task runs: each new one counts a twentieth. */
const SMOOTHING = 20;

export class RunSlots {
  readonly #size: number;
  readonly #clock: Clock;
  readonly #waiting: ((given: boolean) => void)[] = [];
  #taken = 0;
  #promised = 0;
  #closed = false;
  /** How long a task runs, on average. Undefined until one has ended, or somebody has waited in vain. */
  #runsForMs: number | undefined;

  constructor(size: number, clock: Clock) {
    this.#size = size;
    this.#clock = clock;
  }

  get free(): number {
    return this.#size - this.#taken;
  }

  /**
   * Will there be one for a job that is due soon? As many are promised as are free, and as short tasks will leave while others
   * wait for one. A worker that has just started takes them to be short: a promise that is not kept costs the take and its
   * undoing, one that is not made costs a crowd seconds, because who claims a job at its time needs a place to do so.
   */
  reserve(): boolean {
    const soon = this.#runsForMs === undefined ? MAX_RESERVED_PER_SLOT : (2 * SLOT_WAIT_MS) / this.#runsForMs;
    const each = Math.min(MAX_RESERVED_PER_SLOT, Math.max(1, soon));
    if (this.#promised >= this.#size * (each - 1) + this.free) return false;
    this.#promised++;
    return true;
  }

  /** It is asked for now, or is not wanted any more. */
  unreserve(): void {
    this.#promised--;
  }

  /** At once when one is free, else first come, first served. False: it takes too long, or no more are given. */
  async acquire(): Promise<boolean> {
    if (this.#closed) return false;
    if (this.free > 0) {
      this.#taken++;
      return true;
    }
    const answered = new AbortController();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const answer = (given: boolean) => {
      answered.abort(NO_LONGER_NEEDED);
      resolve(given);
    };
    this.#waiting.push(answer);
    void this.#giveUp(answer, answered.signal);
    return promise;
  }

  /** When it has waited for long; but not yet, if its turn comes soon, as others have shown by then. */
  async #giveUp(answer: (given: boolean) => void, answered: AbortSignal): Promise<void> {
    await this.#clock.sleep(SLOT_WAIT_MS, answered);
    if (answered.aborted) return;
    if (this.#comesSoon(this.#waiting.indexOf(answer) + 1))
      await this.#clock.sleep(MAX_SLOT_WAIT_MS - SLOT_WAIT_MS, answered);
    if (answered.aborted) return;
    // nothing has ended in all this time: they are not short
    this.#runsForMs ??= SLOT_WAIT_MS;
    this.#waiting.splice(this.#waiting.indexOf(answer), 1);
    answer(false);
  }

  /** Of who is at this place of the queue, counted from 1. */
  #comesSoon(place: number): boolean {
    return this.#runsForMs !== undefined && (place / this.#size) * this.#runsForMs < SLOT_WAIT_MS;
  }

  /** Hands the place to who has waited longest. `ranForMs`: if a task ran in it. */
  release(ranForMs: number | undefined): void {
    if (ranForMs !== undefined) {
      this.#runsForMs ??= ranForMs;
      this.#runsForMs += (ranForMs - this.#runsForMs) / SMOOTHING;
    }
    const next = this.#waiting.shift();
    if (next) next(true);
    else this.#taken--;
  }

  /** No more are given: who waits is told so. */
  close(): void {
    this.#closed = true;
    for (const answer of this.#waiting.splice(0)) answer(false);
  }
}
