// A signal that ends waits of this process, such as timers of a message that is complete. An AbortController does the same for 5 µs
// and a kilobyte of garbage, and every message needs several.

/** The part of an AbortSignal or a Stopper that a wait needs. */
export interface StopSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

export class Stopper implements StopSignal {
  /** Called once, at the stop. */
  readonly listeners = new Set<() => void>();
  #stopped = false;

  get aborted(): boolean {
    return this.#stopped;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#stopped) this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.listeners.delete(listener);
  }

  /** A repeated call has no effect. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }
}
