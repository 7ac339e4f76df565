// How many tasks run at once: a place per running task, and a queue in front.
export class Places {
  readonly #size: number;
  #taken = 0;
  #closed = false;
  readonly #waiting: ((given: boolean) => void)[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  get free(): number {
    return this.#size - this.#taken;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** At once when one is free, else first come, first served; false when `patience` is aborted or no more are given. */
  async take(patience?: AbortSignal): Promise<boolean> {
    if (this.#closed || patience?.aborted) return false;
    if (this.#taken < this.#size) {
      this.#taken++;
      return true;
    }
    return new Promise((resolve) => {
      const answer = (given: boolean) => {
        patience?.removeEventListener('abort', giveUp);
        resolve(given);
      };
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(answer), 1);
        answer(false);
      };
      patience?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(answer);
    });
  }

  /** Hands the place to who has waited longest. */
  leave(): void {
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
