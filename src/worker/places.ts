// How many tasks run at once: a place per running task, a queue in front, and places promised to jobs that are taken a little
// ahead of their time.
import type { Clock } from '../scheduling/context.ts';
import { OVER } from '../scheduling/execute.ts';

/**
 * How long a due message waits here for a place before it is handed back. Short jobs free places within this; when
 * they do not, a worker with free places should have it. It does not go to and fro: who is full begins no poll, and
 * one that was under way can bring it back once.
 */
export const PLACE_PATIENCE_MS = 1000;
/** Where its turn comes within PLACE_PATIENCE_MS, judged by how long tasks run and how many wait. */
export const LONGEST_PATIENCE_MS = 5000;
/** To come, for each place. */
export const MOST_PROMISED_PER_PLACE = 50;
/** Of the average time that a task runs: each new one counts a twentieth. */
const SMOOTHING = 20;

export class Places {
  readonly #size: number;
  readonly #clock: Clock;
  readonly #waiting: ((given: boolean) => void)[] = [];
  #taken = 0;
  #promised = 0;
  #closed = false;
  /** How long a task runs, on average. Undefined until one has ended. */
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
   * wait for one. Until one has ended they are taken to be short: a promise that is not kept costs the take and its undoing,
   * one that is not made costs a crowd seconds, because who claims a job at its time needs a place to do so.
   */
  promise(): boolean {
    const soon =
      this.#runsForMs === undefined ? MOST_PROMISED_PER_PLACE : (2 * PLACE_PATIENCE_MS) / this.#runsForMs;
    const each = Math.min(MOST_PROMISED_PER_PLACE, Math.max(1, soon));
    if (this.#promised >= this.#size * (each - 1) + this.free) return false;
    this.#promised++;
    return true;
  }

  /** It is asked for now, or is not wanted any more. */
  redeem(): void {
    this.#promised--;
  }

  /** At once when one is free, else first come, first served. False: it takes too long, or no more are given. */
  async take(): Promise<boolean> {
    if (this.#closed) return false;
    if (this.free > 0) {
      this.#taken++;
      return true;
    }
    return new Promise((resolve) => {
      const answered = new AbortController();
      const answer = (given: boolean) => {
        answered.abort(OVER);
        resolve(given);
      };
      this.#waiting.push(answer);
      void this.#clock.sleep(this.#patienceMs(), answered.signal).then(() => {
        const index = this.#waiting.indexOf(answer);
        if (index < 0) return;
        this.#waiting.splice(index, 1);
        answer(false);
      });
    });
  }

  #patienceMs(): number {
    const turnComesMs =
      ((this.#waiting.length + 1) / this.#size) * (this.#runsForMs ?? Number.POSITIVE_INFINITY);
    return turnComesMs < PLACE_PATIENCE_MS ? LONGEST_PATIENCE_MS : PLACE_PATIENCE_MS;
  }

  /** Hands the place to who has waited longest. `ranForMs`: if a task ran in it. */
  leave(ranForMs: number | undefined): void {
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
