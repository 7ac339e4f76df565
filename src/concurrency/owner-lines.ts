// Items that wait, by owner. Owners take turns, so a thousand items of one owner do not delay the first item of another.

/** First in, first out. `Array.shift` would move all items of a long array. */
export class Line<T> {
  #items: T[] = [];
  #next = 0;

  get length(): number {
    return this.#items.length - this.#next;
  }

  get first(): T | undefined {
    return this.#items[this.#next];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#next++];
    if (this.#next > 1_024 && this.#next * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }
}

export class OwnerLines<T> {
  readonly #lines = new Map<string, Line<T>>();
  #waiting = 0;

  /** Number of items of all owners. */
  get waiting(): number {
    return this.#waiting;
  }

  add(owner: string, item: T): void {
    const known = this.#lines.get(owner);
    const line = known ?? new Line();
    if (!known) this.#lines.set(owner, line);
    line.push(item);
    this.#waiting++;
  }

  /** The next item of the owner whose turn it is. That owner goes to the end of the line. Undefined if no item waits. */
  next(): T | undefined {
    for (const [owner, line] of this.#lines) {
      const item = line.shift();
      if (this.#lines.size > 1 || line.length === 0) this.#lines.delete(owner);
      if (line.length > 0) this.#lines.set(owner, line);
      this.#waiting--;
      return item;
    }
    return undefined;
  }
}
