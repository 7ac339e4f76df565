// Values that remember what they were before their last write, so that an eventually consistent read can be stale.

export class Versioned<T> {
  readonly #now = new Map<string, T>();
  readonly #before = new Map<string, T | undefined>();
  readonly #stale: () => boolean;

  constructor(stale: () => boolean = () => false) {
    this.#stale = stale;
  }

  get(key: string): T | undefined {
    return this.#now.get(key);
  }

  /** Not consistent: the value before the last write (none, if that was the insert) whenever `stale` says so. */
  read(key: string, consistent: boolean): T | undefined {
    return !consistent && this.#before.has(key) && this.#stale() ? this.#before.get(key) : this.#now.get(key);
  }

  set(key: string, value: T): void {
    this.#before.set(key, this.#now.get(key));
    this.#now.set(key, value);
  }

  /** Everybody has heard of everything: no read is stale until the next write. */
  converge(): void {
    this.#before.clear();
  }

  all(): T[] {
    return [...this.#now.values()];
  }

  get size(): number {
    return this.#now.size;
  }
}
