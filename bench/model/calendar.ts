// Simulated time: ticks of a tenth of a millisecond, and what happens at each, in the order in which it was put there.
// Millions of events: so numbers in typed arrays, a list per tick, and no object for any of them.

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
  /** Of nodes that can be used again; 0: none. */
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

  /** A kind of event: what is done when one happens. */
  kind(handler: Handler): number {
    return this.#handlers.push(handler) - 1;
  }

  /** At or after `tick`, never before what is happening now. What is later than the end never happens. */
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

  /** The same for what is rare enough to be a function. */
  call(tick: number, run: () => void): void {
    const index = this.#freeCalls.pop() ?? this.#calls.length;
    this.#calls[index] = run;
    this.at(tick, this.#callKind, index);
  }

  run(): void {
    for (this.now = 0; this.now < this.end; this.now++) {
      // what is happening may add to this very tick, so the next one is looked up afterwards
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
