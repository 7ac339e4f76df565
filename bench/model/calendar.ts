// Simulated time in ticks of 0.1 ms. The events of a tick happen in the order in which they were added. There are millions
// of events, so they are numbers in typed arrays, with a linked list per tick.

export const TICKS_PER_MS = 10;
export const TICKS_PER_SECOND = 1000 * TICKS_PER_MS;

export type Handler = (index: number) => void;

export class Calendar {
  now = 0;
  readonly end: number;
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  #next = new Int32Array(1 << 16);
  #kind = new Uint8Array(1 << 16);
  #index = new Int32Array(1 << 16);
  #used = 1;
  /** The first node of the free list. 0 if the list is empty. */
  #free = 0;
  readonly #handlers: Handler[] = [];
  readonly #calls: (() => void)[] = [];
  readonly #freeCalls: number[] = [];
  readonly #callKind: number;

  constructor(seconds: number) {
    this.end = Math.ceil(seconds * TICKS_PER_SECOND);
    this.#first = new Int32Array(this.end);
    this.#last = new Int32Array(this.end);
    this.#callKind = this.kind((call) => {
      this.#freeCalls.push(call);
      this.#calls[call]?.();
    });
  }

  /** Registers a kind of event with its handler. */
  kind(handler: Handler): number {
    return this.#handlers.push(handler) - 1;
  }

  /** Adds an event at `tick`, or now if `tick` has passed. An event after the end never happens. */
  at(tick: number, kind: number, index: number): void {
    const when = Math.max(Math.ceil(tick), this.now);
    if (when >= this.end) return;
    const node = this.#take();
    this.#kind[node] = kind;
    this.#index[node] = index;
    this.#next[node] = 0;
    const last = this.#last[when] as number;
    if (last === 0) this.#first[when] = node;
    else this.#next[last] = node;
    this.#last[when] = node;
  }

  /** Adds a function as an event. It costs an object, so it is for rare events. */
  call(tick: number, run: () => void): void {
    const index = this.#freeCalls.pop() ?? this.#calls.length;
    this.#calls[index] = run;
    this.at(tick, this.#callKind, index);
  }

  run(): void {
    for (this.now = 0; this.now < this.end; this.now++) {
      // A handler may add events to this tick, so the next event is looked up after it.
      for (let node = this.#first[this.now] as number; node !== 0; ) {
        (this.#handlers[this.#kind[node] as number] as Handler)(this.#index[node] as number);
        const next = this.#next[node] as number;
        this.#next[node] = this.#free;
        this.#free = node;
        node = next;
      }
    }
  }

  #take(): number {
    if (this.#free !== 0) {
      const node = this.#free;
      this.#free = this.#next[node] as number;
      return node;
    }
    if (this.#used === this.#next.length) {
      this.#next = grown(this.#next);
      this.#index = grown(this.#index);
      const kinds = new Uint8Array(this.#kind.length * 2);
      kinds.set(this.#kind);
      this.#kind = kinds;
    }
    return this.#used++;
  }
}

function grown(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
