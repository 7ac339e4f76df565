// A binary heap whose items can be moved and removed. Each item knows its index.

export interface HeapItem {
  /** The item with the least `at` is first. `order` decides between equal ones. */
  at: number;
  readonly order: number;
  /** The index in the heap. -1: the item is not in the heap. */
  index: number;
}

const isBefore = (a: HeapItem, b: HeapItem): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  /** The items, in no order. */
  values(): Iterable<T> {
    return this.#items;
  }

  /** Adds the item, or moves it to the position of its new `at`. */
  put(item: T, at: number): void {
    item.at = at;
    if (item.index < 0) {
      item.index = this.#items.length;
      this.#items.push(item);
    }
    this.#settle(item);
  }

  remove(item: T): void {
    const { index } = item;
    if (index < 0) return;
    const last = this.#items.pop() as T;
    item.index = -1;
    if (last === item) return;
    this.#items[index] = last;
    last.index = index;
    this.#settle(last);
  }

  #settle(item: T): void {
    if (!this.#up(item)) this.#down(item);
  }

  /** True: the item has moved. */
  #up(item: T): boolean {
    const began = item.index;
    while (item.index > 0) {
      const parent = this.#items[(item.index - 1) >> 1] as T;
      if (!isBefore(item, parent)) break;
      this.#swap(item, parent);
    }
    return item.index !== began;
  }

  #down(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.index + 1];
      const right = this.#items[2 * item.index + 2];
      const least = right && left && isBefore(right, left) ? right : left;
      if (!least || !isBefore(least, item)) return;
      this.#swap(item, least);
    }
  }

  #swap(a: T, b: T): void {
    [a.index, b.index] = [b.index, a.index];
    this.#items[a.index] = a;
    this.#items[b.index] = b;
  }
}
