// Items that expire after the same time. One timer serves all of them.
import { Line } from './owner-lines.ts';
import { Stopper, type StopSignal } from './stopper.ts';

interface ExpiryTimer {
  /** Milliseconds that never jump. */
  monotonic(): number;
  sleep(ms: number, signal?: StopSignal): Promise<void>;
}

export class ExpiryLine<T> {
  readonly #timer: ExpiryTimer;
  readonly #ms: number;
  readonly #onExpired: (item: T) => void;
  readonly #line = new Line<{ readonly item: T; readonly at: number }>();
  readonly #closed = new Stopper();
  #isRunning = false;

  /** `onExpired` is called for every item, `ms` after it was added. The owner of the line ignores items that it no longer needs. */
  constructor(timer: ExpiryTimer, ms: number, onExpired: (item: T) => void) {
    this.#timer = timer;
    this.#ms = ms;
    this.#onExpired = onExpired;
  }

  add(item: T): void {
    this.#line.push({ item, at: this.#timer.monotonic() + this.#ms });
    if (!this.#isRunning) void this.#run();
  }

  /** No item expires any more. */
  close(): void {
    this.#closed.stop();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let first = this.#line.first; first; first = this.#line.first) {
      await this.#timer.sleep(first.at - this.#timer.monotonic(), this.#closed);
      if (this.#closed.aborted) return;
      this.#line.shift();
      this.#onExpired(first.item);
    }
    this.#isRunning = false;
  }
}
