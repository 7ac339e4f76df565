// The work of this process that is under way, by key, for others that have to wait for it.

export class UnderWay {
  readonly #ofKey = new Map<string, Set<Promise<unknown>>>();

  async track<T>(key: string, work: Promise<T>): Promise<T> {
    const own = this.#ofKey.get(key) ?? new Set();
    this.#ofKey.set(key, own.add(work));
    try {
      return await work;
    } finally {
      own.delete(work);
      if (own.size === 0) this.#ofKey.delete(key);
    }
  }

  /** Resolves when all work of the key that is under way now has ended, also if it has failed. */
  async settled(key: string): Promise<void> {
    await Promise.allSettled(this.#ofKey.get(key) ?? []);
  }
}
