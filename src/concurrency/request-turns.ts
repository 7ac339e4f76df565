// Shares the event loop between starts and all other work. Requests, dispatch and background operations work in slices in one
// place of each turn. After TURN_MS of such work the others wait for the next turn, so timers and the I/O of starts come in
// between, however many requests wait. Owners take turns, so many requests of one owner do not delay the single one of another.
import { AsyncLocalStorage } from 'node:async_hooks';
import { OwnerLines } from './owner-lines.ts';

/** The work of requests in one turn of the event loop. */
const TURN_MS = 10;
/** The work of one owner, if others wait. */
const SLICE_MS = 2;

/** What the turns depend on. The defaults are those of Node. */
export interface TurnsOptions {
  /** Milliseconds that never jump. */
  monotonic(): number;
  /** Calls `go` in the next turn of the event loop, after timers and I/O. */
  inNextTurn?(go: () => void): void;
}

interface Share {
  readonly turns: RequestTurns;
  /** Undefined if the work belongs to the scheduler itself: dispatch and settle. */
  readonly owner: string | undefined;
}

const shares = new AsyncLocalStorage<Share>();

export class RequestTurns {
  readonly #monotonic: () => number;
  readonly #inNextTurn: (go: () => void) => void;
  readonly #requests = new OwnerLines<() => void>();
  readonly #scheduler = new OwnerLines<() => void>();
  #turnAt = 0;
  /** Undefined while no slice is under way. */
  #sliceAt: number | undefined;
  #isScheduled = false;
  #schedulerWasLast = false;

  constructor({ monotonic, inNextTurn = setImmediate }: TurnsOptions) {
    this.#monotonic = monotonic;
    this.#inNextTurn = inNextTurn;
  }

  /** Runs `work` in turns of `owner`, from its first `giveWay` on. Without an owner, the work belongs to the scheduler. */
  run<T>(owner: string | undefined, work: () => T): T {
    return shares.run({ turns: this, owner }, work);
  }

  /** Whether the present slice may go on. */
  get hasTime(): boolean {
    if (this.#sliceAt === undefined) return false;
    const now = this.#monotonic();
    return now - this.#turnAt < TURN_MS && (this.#waiting === 0 || now - this.#sliceAt < SLICE_MS);
  }

  /** Resolves in a slice of its own. */
  wait(owner: string | undefined): Promise<void> {
    return new Promise((resolve) => {
      if (owner === undefined) this.#scheduler.add('', resolve);
      else this.#requests.add(owner, resolve);
      this.#schedule();
    });
  }

  get #waiting(): number {
    return this.#requests.waiting + this.#scheduler.waiting;
  }

  #schedule(): void {
    if (this.#isScheduled || this.#sliceAt !== undefined) return;
    this.#isScheduled = true;
    this.#inNextTurn(this.#turn);
  }

  readonly #turn = (): void => {
    this.#isScheduled = false;
    this.#turnAt = this.#monotonic();
    this.#slice();
  };

  /** Lets one waiter go on. The slice lasts until its promises have nothing more to do, then the next one begins. */
  readonly #slice = (): void => {
    this.#sliceAt = undefined;
    if (this.#waiting === 0) return;
    const now = this.#monotonic();
    if (now - this.#turnAt >= TURN_MS) {
      this.#schedule();
      return;
    }
    this.#sliceAt = now;
    this.#next()?.();
    // a tick that is set from a promise comes after all promises
    queueMicrotask(() => process.nextTick(this.#slice));
  };

  /** The scheduler gets every other slice, so that dispatch keeps its speed while many owners send requests. */
  #next(): (() => void) | undefined {
    this.#schedulerWasLast =
      this.#requests.waiting === 0 || (this.#scheduler.waiting > 0 && !this.#schedulerWasLast);
    return (this.#schedulerWasLast ? this.#scheduler : this.#requests).next();
  }
}

/**
 * Called between two pieces of work. Resolves when the work may go on. Undefined if it may go on at once, and always outside of
 * `run`: starts and the protocol of workers never wait. The next piece must follow at once, without another `await`. Otherwise
 * several callers would go on in the rest of the same slice.
 */
export function giveWay(): Promise<void> | undefined {
  const share = shares.getStore();
  return share?.turns.hasTime ? undefined : share?.turns.wait(share.owner);
}

/** Resolves in a slice of its own, and at once outside of `run`. */
export async function nextSlice(): Promise<void> {
  const share = shares.getStore();
  if (share) await share.turns.wait(share.owner);
}

/** Runs `work` in the turns of another owner. */
export function onBehalfOf<T>(owner: string, work: () => T): T {
  const share = shares.getStore();
  return share ? share.turns.run(owner, work) : work();
}

/** `Array.map`, in slices. */
export async function inSlices<T, R>(items: Iterable<T>, work: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) {
    const turn = giveWay();
    if (turn) await turn;
    results.push(work(item));
  }
  return results;
}

/** `Array.filter`, in slices. */
export async function filterInSlices<T>(items: readonly T[], matches: (item: T) => boolean): Promise<T[]> {
  const matched = await inSlices(items, matches);
  return items.filter((_, i) => matched[i]);
}

/** The same operations. Inside of `run`, their results are handed over in a slice of the owner. */
export function answeringInSlices<Operations extends object>(operations: Operations): Operations {
  return new Proxy(operations, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name, target);
      if (typeof operation !== 'function') return operation;
      return (...given: unknown[]) => {
        const answer: unknown = operation.apply(target, given);
        return shares.getStore() ? afterwards(answer) : answer;
      };
    },
  });
}

async function afterwards(answer: unknown): Promise<unknown> {
  const result = await answer;
  await nextSlice();
  return result;
}
