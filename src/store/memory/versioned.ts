// Values with their previous version, so that an eventually consistent read can be stale.

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

  /** If `stale` is true, a read that is not consistent returns the value before the last write. */
  read(key: string, consistent: boolean): T | undefined {
    return !consistent && this.#before.has(key) && this.#stale() ? this.#before.get(key) : this.#now.get(key);
  }

  set(key: string, value: T): void {
    this.#before.set(key, this.#now.get(key));
    this.#now.set(key, value);
  }

  delete(key: string): void {
    this.#before.set(key, this.#now.get(key));
    this.#now.delete(key);
  }

  /** All writes have spread. No read is stale until the next write. */
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
