// Messages by owner. Owners with visible messages take turns, so that a message waits for at most one message of each other owner,
// however many another owner has. Each step takes O(log n).
import { Heap, type HeapItem } from '../../concurrency/heap.ts';

export interface OwnedItem extends HeapItem {
  readonly owner: string;
}

/** An owner is in one of two heaps: `later` by the time of its first item, or `visible` by its turn. */
interface Owner<T extends OwnedItem> extends HeapItem {
  readonly name: string;
  readonly items: Heap<T>;
  isVisible: boolean;
}

export class OwnerTurns<T extends OwnedItem> {
  readonly #owners = new Map<string, Owner<T>>();
  readonly #later = new Heap<Owner<T>>();
  readonly #visible = new Heap<Owner<T>>();
  #created = 0;
  #turns = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** When the next owner gets a visible item. Undefined if there is none. Owners that have visible items do not count. */
  get nextAt(): number | undefined {
    return this.#later.first?.at;
  }

  /** Adds the item, or moves it to its new time. */
  put(item: T, at: number): void {
    const owner = this.#ownerOf(item);
    if (item.index < 0) this.#size++;
    owner.items.put(item, at);
    if (!owner.isVisible) this.#waitForFirst(owner);
  }

  remove(item: T): void {
    if (item.index < 0) return;
    const owner = this.#ownerOf(item);
    owner.items.remove(item);
    this.#size--;
    if (owner.items.size === 0) {
      (owner.isVisible ? this.#visible : this.#later).remove(owner);
      this.#owners.delete(owner.name);
    } else if (!owner.isVisible) this.#waitForFirst(owner);
  }

  /**
   * Offers at most `max` visible items, one of each owner in turn, and the earliest of an owner first. `take` moves the item to
   * a later time and returns true. False: the item stays, and the owner has no further turn in this call.
   */
  takeVisible(now: number, max: number, take: (item: T) => boolean): void {
    for (let next = this.#later.first; next && next.at <= now; next = this.#later.first) {
      this.#later.remove(next);
      next.isVisible = true;
      this.#visible.put(next, ++this.#turns);
    }
    const refused: Owner<T>[] = [];
    let taken = 0;
    for (let owner = this.#visible.first; owner && taken < max; owner = this.#visible.first) {
      const item = owner.items.first;
      if (!item || item.at > now) {
        this.#visible.remove(owner);
        owner.isVisible = false;
        this.#waitForFirst(owner);
      } else if (take(item)) {
        taken++;
        this.#visible.put(owner, ++this.#turns);
      } else {
        this.#visible.remove(owner);
        refused.push(owner);
      }
    }
    // refused owners keep their turns
    for (const owner of refused) this.#visible.put(owner, owner.at);
  }

  #waitForFirst(owner: Owner<T>): void {
    const { first } = owner.items;
    if (first) this.#later.put(owner, first.at);
  }

  #ownerOf({ owner: name }: T): Owner<T> {
    const known = this.#owners.get(name);
    if (known) return known;
    const owner = {
      ...{ name, items: new Heap<T>(), isVisible: false },
      ...{ at: 0, order: this.#created++, index: -1 },
    };
    this.#owners.set(name, owner);
    return owner;
  }
}
