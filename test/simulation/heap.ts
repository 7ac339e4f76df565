// The events to come, ordered by time. The seed orders events of the same time.

export interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export class Heap {
  readonly #events: Event[] = [];

  get size(): number {
    return this.#events.length;
  }

  push(event: Event): void {
    const events = this.#events;
    let i = events.length;
    events.push(event);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = events[parent];
      if (!above || !before(event, above)) break;
      events[i] = above;
      i = parent;
    }
    events[i] = event;
  }

  pop(): Event | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (!first || !last || events.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      let below = events[child];
      if (!below) break;
      const right = events[child + 1];
      if (right && before(right, below)) {
        below = right;
        child++;
      }
      if (!before(below, last)) break;
      events[i] = below;
      i = child;
    }
    events[i] = last;
    return first;
  }
}

const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
