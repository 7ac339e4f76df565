// A binary heap whose items can be moved and removed. Each item knows its index.

export interface HeapItem {
  /** The item with the least `at` is first. `order` decides between equal ones. */
  at: number;
  readonly order: number;
  /** The index in the heap. -1: the item is not in the heap. */
  place: number;
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

  /** Adds the item, or moves it to the place of its new `at`. */
  put(item: T, at: number): void {
    item.at = at;
    if (item.place < 0) {
      item.place = this.#items.length;
      this.#items.push(item);
    }
    this.#settle(item);
  }

  remove(item: T): void {
    const { place } = item;
    if (place < 0) return;
    const last = this.#items.pop() as T;
    item.place = -1;
    if (last === item) return;
    this.#items[place] = last;
    last.place = place;
    this.#settle(last);
  }

  #settle(item: T): void {
    if (!this.#up(item)) this.#down(item);
  }

  /** True: the item has moved. */
  #up(item: T): boolean {
    const began = item.place;
    while (item.place > 0) {
      const parent = this.#items[(item.place - 1) >> 1] as T;
      if (!isBefore(item, parent)) break;
      this.#swap(item, parent);
    }
    return item.place !== began;
  }

  #down(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.place + 1];
      const right = this.#items[2 * item.place + 2];
      const least = right && left && isBefore(right, left) ? right : left;
      if (!least || !isBefore(least, item)) return;
      this.#swap(item, least);
    }
  }

  #swap(a: T, b: T): void {
    [a.place, b.place] = [b.place, a.place];
    this.#items[a.place] = a;
    this.#items[b.place] = b;
  }
}
