// Virtual time for a whole server process, from outside: `node --import virtual-time.ts` replaces clocks and timers before the
// program is loaded, so it needs nothing of the program but Node's own interfaces. Time stands still while anything is in
// progress, and goes on to the next timer when nothing is. Math.random is constant, so that the jitter of a retry is.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import {
  getEnvironmentData,
  isMainThread,
  parentPort,
  type receiveMessageOnPort,
  setEnvironmentData,
  Worker,
} from 'node:worker_threads';

const require = createRequire(import.meta.url);
const real = { setImmediate, setTimeout, Date };

interface VirtualTimer {
  at: number;
  order: number;
  every: number | undefined;
  delay: number;
  call: () => void;
}

/** A heap of timers, by time and then by order of creation. A cancelled timer stays until it would fire. */
class Timers {
  readonly #heap: VirtualTimer[] = [];
  #order = 0;

  get next(): VirtualTimer | undefined {
    return this.#heap[0];
  }

  add(timer: VirtualTimer): void {
    timer.order = this.#order++;
    const heap = this.#heap;
    let at = heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#less(at, parent)) break;
      this.#swap(at, parent);
      at = parent;
    }
  }

  take(): VirtualTimer {
    const heap = this.#heap;
    this.#swap(0, heap.length - 1);
    const first = heap.pop() as VirtualTimer;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && this.#less(child, least)) least = child;
      if (least === at) return first;
      this.#swap(at, least);
      at = least;
    }
  }

  #less(a: number, b: number): boolean {
    const [one, other] = [this.#heap[a], this.#heap[b]] as [VirtualTimer, VirtualTimer];
    return one.at < other.at || (one.at === other.at && one.order < other.order);
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    [heap[a], heap[b]] = [heap[b] as VirtualTimer, heap[a] as VirtualTimer];
  }
}

// The present time, and the counters of messages between threads. Threads share them.
const NOW = 0;
const TO_THREADS = 1;
const TAKEN = 2;
const BUSY = 3;
const ANSWERED = 4;
const KEY = 'punctual-differential-time';
const shared = isMainThread
  ? new BigInt64Array(new SharedArrayBuffer(40))
  : (getEnvironmentData(KEY) as unknown as BigInt64Array);
const load = (at: number): number => Number(Atomics.load(shared, at));
const count = (at: number, by = 1): void => void Atomics.add(shared, at, BigInt(by));
const now = (): number => load(NOW);

let start = 0;
const timers = new Timers();
/** Real work of this thread that has no timer: immediates, cryptography. */
let pending = 0;
let answersTaken = 0;

function replaceClocks(): void {
  const zero = now();
  real.Date.now = now;
  globalThis.Date = new Proxy(real.Date, {
    construct: (target, given, made) =>
      given.length === 0 ? new target(now()) : Reflect.construct(target, given, made),
    apply: () => new real.Date(now()).toString(),
  });
  const monotonic = () => now() - zero + 1_000;
  performance.now = monotonic;
  process.uptime = () => monotonic() / 1_000;
  const hrtime = () => [Math.floor(monotonic() / 1_000), (monotonic() % 1_000) * 1e6] as [number, number];
  process.hrtime = Object.assign(hrtime, { bigint: () => BigInt(monotonic()) * 1_000_000n });
  require('node:os').uptime = () => monotonic() / 1_000;
  Math.random = () => 0.5;
}

class Timeout {
  timer: VirtualTimer | undefined;
  readonly #call: () => void;
  readonly #every: boolean;
  readonly #delay: number;

  constructor(call: () => void, delay: number, every: boolean) {
    this.#call = AsyncLocalStorage.bind(call);
    this.#every = every;
    this.#delay = delay >= 1 && delay < 2 ** 31 ? Math.trunc(delay) : 1;
    this.refresh();
  }
  refresh(): this {
    this.close();
    const timer: VirtualTimer = {
      at: now() + this.#delay,
      order: 0,
      every: undefined,
      delay: this.#delay,
      call: () => {},
    };
    timer.call = () => {
      if (this.timer !== timer) return;
      this.timer = undefined;
      if (this.#every) this.refresh();
      this.#call();
    };
    this.timer = timer;
    timers.add(timer);
    return this;
  }
  close(): this {
    this.timer = undefined;
    return this;
  }
  ref = () => this;
  unref = () => this;
  hasRef = () => true;
  [Symbol.dispose] = () => this.close();
}

function replaceTimers(): void {
  const timeout = (call: (...given: unknown[]) => void, delay = 1, ...given: unknown[]) =>
    new Timeout(() => call(...given), Number(delay), false);
  const interval = (call: (...given: unknown[]) => void, delay = 1, ...given: unknown[]) =>
    new Timeout(() => call(...given), Number(delay), true);
  const clear = (timer: unknown) => void (timer instanceof Timeout && timer.close());
  const immediate = (call: (...given: unknown[]) => void, ...given: unknown[]) => {
    pending++;
    const handle = real.setImmediate(() => {
      open.delete(handle);
      pending--;
      call(...given);
    });
    open.add(handle);
    return handle;
  };
  const open = new Set<NodeJS.Immediate>();
  const realClear = clearImmediate;
  const clearOne = (handle: NodeJS.Immediate | undefined) => {
    if (handle && open.delete(handle)) pending--;
    realClear(handle);
  };
  const replaced = {
    setTimeout: timeout,
    setInterval: interval,
    setImmediate: immediate,
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clearOne,
  };
  Object.assign(globalThis, replaced);
  Object.assign(require('node:timers'), replaced);
  const wait = (ms = 1, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      const abort = () =>
        reject(
          new DOMException('The operation was aborted', {
            name: 'AbortError',
            cause: signal?.reason,
          } as never),
        );
      if (signal?.aborted) return abort();
      const timer = timeout(() => {
        signal?.removeEventListener('abort', stop);
        resolve(value);
      }, ms);
      const stop = () => {
        timer.close();
        abort();
      };
      signal?.addEventListener('abort', stop, { once: true });
    });
  const promises = require('node:timers/promises');
  promises.setTimeout = wait;
  promises.scheduler = {
    ...promises.scheduler,
    wait: (ms: number, options?: object) => wait(ms, undefined, options),
  };
  promises.setImmediate = (value?: unknown) => new Promise((resolve) => immediate(() => resolve(value)));
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    timeout(
      () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      ms,
    );
    return controller.signal;
  };
}

/** Cryptography of the thread pool. Nothing else shows that it is in progress. */
function watchCryptography(): void {
  const subtle = Object.getPrototypeOf(crypto.subtle);
  for (const name of ['sign', 'verify', 'digest', 'importKey', 'exportKey', 'generateKey', 'deriveBits']) {
    const original = subtle[name];
    subtle[name] = function (this: unknown, ...given: unknown[]) {
      pending++;
      return original.apply(this, given).finally(() => pending--);
    };
  }
}

/** Counts the messages to and from threads, so that time waits for them. */
function watchThreads(): void {
  const { postMessage, emit } = Worker.prototype;
  Worker.prototype.postMessage = function (...given: Parameters<typeof postMessage>) {
    count(TO_THREADS);
    return postMessage.apply(this, given);
  };
  Worker.prototype.emit = function (this: Worker, event: string | symbol, ...given: unknown[]) {
    if (event === 'message') answersTaken++;
    return Reflect.apply(emit, this, [event, ...given]);
  } as typeof emit;
}

function countInThread(): void {
  const port = parentPort;
  if (!port) return;
  const { postMessage, on } = port;
  port.postMessage = (...given: unknown[]) => {
    count(ANSWERED);
    return Reflect.apply(postMessage, port, given);
  };
  port.on = ((event: string, listener: (...given: unknown[]) => void) =>
    Reflect.apply(on, port, [
      event,
      event !== 'message'
        ? listener
        : (...given: unknown[]) => {
            count(BUSY);
            count(TAKEN);
            try {
              listener(...given);
            } finally {
              count(BUSY, -1);
            }
          },
    ])) as typeof port.on;
  const threads = require('node:worker_threads') as { receiveMessageOnPort: typeof receiveMessageOnPort };
  const receive = threads.receiveMessageOnPort;
  threads.receiveMessageOnPort = (from) => {
    const received = receive(from);
    if (received) count(TAKEN);
    return received;
  };
}

/** Requests of the program to others, and those that wait at the receiver for a virtual timer. */
const calls = { open: 0, held: 0 };
/** Requests of the driver to the program: sent, arrived, answered, read. */
export const requests = { sent: 0, arrived: 0, answered: 0, read: 0 };

function watchRequests(): void {
  subscribe('undici:request:create', () => calls.open++);
  subscribe('undici:request:trailers', () => calls.open--);
  subscribe('undici:request:error', () => calls.open--);
  const isOurs = (message: unknown) =>
    (message as { request: { headers: Record<string, unknown> } }).request.headers['x-differential'] !==
    undefined;
  subscribe('http.server.request.start', (message) => {
    // by its real timer the server would close a connection between two requests
    (message as { server: { keepAliveTimeout: number } }).server.keepAliveTimeout = 0;
    if (isOurs(message)) requests.arrived++;
  });
  subscribe('http.server.response.finish', (message) => {
    if (isOurs(message)) requests.answered++;
  });
}

/** A pause of the receiver in virtual time. It ends early if the caller gives up. */
export async function hold(ms: number, response: ServerResponse): Promise<void> {
  calls.held++;
  await new Promise<void>((resolve) => {
    new Timeout(resolve, ms, false);
    response.once('close', resolve);
  });
  calls.held--;
}

const QUIET_TURNS = 5;
const STUCK_MS = 60_000;

const turn = (): Promise<void> => new Promise((resolve) => void real.setImmediate(resolve));

const isQuiet = (): boolean =>
  pending === 0 &&
  load(TO_THREADS) === load(TAKEN) &&
  load(BUSY) === 0 &&
  load(ANSWERED) === answersTaken &&
  calls.open === calls.held &&
  requests.sent === requests.arrived &&
  requests.answered === requests.read &&
  !process.getActiveResourcesInfo().some((name) => /Req|ConnectWrap|WriteWrap|ShutdownWrap/.test(name));

const realNow = (() => {
  const clock = process.hrtime.bigint.bind(process.hrtime);
  return () => Number(clock() / 1_000_000n);
})();

/** Resolves when nothing is in progress that needs no timer. */
async function quiet(): Promise<void> {
  const began = realNow();
  for (let turns = 0; turns < QUIET_TURNS; ) {
    await turn();
    turns = isQuiet() ? turns + 1 : 0;
    if (turns === 0 && realNow() - began > STUCK_MS)
      throw new Error(
        `time stands still: ${JSON.stringify({ pending, calls, requests, threads: [...shared].map(String), answersTaken, active: process.getActiveResourcesInfo() })}`,
      );
  }
}

/** Fires the timers up to a time, one after the other, and waits after each time until nothing is in progress. */
export async function advance(to: number): Promise<void> {
  for (;;) {
    await quiet();
    const { next } = timers;
    if (!next || next.at > to) break;
    Atomics.store(shared, NOW, BigInt(next.at));
    while (timers.next && timers.next.at <= next.at) {
      timers.take().call();
      await undefined;
    }
  }
  Atomics.store(shared, NOW, BigInt(Math.max(to, now())));
}

export const virtualNow = now;
/** Resolves after real time. For the start and the end of the program only. */
export const realPause = (ms: number): Promise<void> =>
  new Promise((resolve) => void real.setTimeout(resolve, ms));

if (isMainThread) {
  start = Number(process.env.DIFFERENTIAL_NOW);
  Atomics.store(shared, NOW, BigInt(start));
  setEnvironmentData(KEY, shared as never);
  watchCryptography();
  watchThreads();
  watchRequests();
  replaceTimers();
} else countInThread();
replaceClocks();
syncBuiltinESMExports();
