// The simulated world: virtual time, and one event after the other in an order that the seed decides. Between two events
// all running code has stopped, so processes interleave at every await and a seed replays exactly.
import type { StopSignal } from '../../src/concurrency/stopper.ts';
import { PunctualError } from '../../src/domain/errors.ts';
import { dueAtOf, shardOf } from '../../src/domain/executions/ids.ts';
import type { Row } from '../../src/domain/executions/row.ts';
import { type Entry, entryKey, minuteOf, slotKey } from '../../src/domain/executions/slots.ts';
import type { Operation } from '../../src/domain/jobs/background-operation.ts';
import type { SearchLimits } from '../../src/domain/schedule/search-budget.ts';
import type { Message } from '../../src/queue/queue.ts';
import type { Settings } from '../../src/scheduling/context.ts';
import { WriterTooSlow } from '../../src/scheduling/records/writer-deadline.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { Shard } from '../../src/store/store.ts';
import { Seeded } from '../support/seeded.ts';
import { Checks, type Violation } from './checks.ts';
import { Clocks } from './clocks.ts';
import { Heap } from './heap.ts';
import { Power } from './power.ts';
import { type Kind, type Method, Process } from './process.ts';
import { CALM, LAST_REQUEST_MS, type Profile } from './profile.ts';
import { SimulatedQueue } from './simulated-queue.ts';
import { describeCall } from './trace.ts';
import { Twin } from './twin.ts';

/** The error of an injected fault. Every other error of a use case is checked. */
export class InjectedFault extends Error {
  override readonly name = 'InjectedFault';
}

/** The first instant of every simulation, a whole minute. */
export const EPOCH = 1_800_000_000_000;
const MAX_EVENTS = 200_000;
/** The number of steps that are queued at once. One turn of the event loop for each step would be slower. */
const STEPS_AT_ONCE = 256;

export interface WorldOptions {
  readonly seed: number;
  readonly settings: Settings;
  /** The budget of searches for occurrences. Undefined for the defaults. */
  readonly searchLimits?: SearchLimits | undefined;
  readonly profile: Profile;
  /** Simulates one embedded server. Its store is SQLite, its queue is lost with the process, and rows name the boot of their claims. */
  readonly embedded?: boolean;
  readonly trace?: (line: string) => void;
  /** If true, clocks are wrong in this world, whatever the seed says. */
  readonly wrongClocks?: boolean;
}

/** The number of entries in a page of a slot. */
const SLOT_PAGE = 7;

export class SimulatedWorld {
  readonly random: Seeded;
  readonly searchLimits: SearchLimits | undefined;
  readonly settings: Settings;
  readonly store: MemoryStore;
  readonly queue: SimulatedQueue;
  readonly checks: Checks;
  readonly clocks: Clocks;
  readonly processes = new Set<Process>();
  readonly trace: ((process: Process | undefined, line: string) => void) | undefined;
  now = EPOCH;
  events = 0;
  profile: Profile;
  isCalm = false;
  /** The number of times that each kind of event has happened. A simulation in which nothing succeeds proves nothing. */
  readonly counts = new Map<string, number>();
  /** True during downtime, when neither machines nor people act. */
  down = false;
  violation: Violation | undefined;
  /** Called when a write of a process has taken effect. */
  onWritten: ((process: Process) => void) | undefined;
  /** The process whose call is taking effect. */
  actor: Process | undefined;
  /** The boot id of the embedded server. */
  boot: string | undefined;
  /** Present if the power of the embedded server fails with it. */
  readonly power: Power | undefined;
  readonly #twin: Twin | undefined;
  readonly #heap = new Heap();
  /** A stream of its own, so that seeds without such copies do not change. */
  readonly #resends: Seeded;
  #over = false;
  /** When the store went down. A request of a process that was born before never arrives. */
  #cutOffAt = 0;

  constructor({
    seed,
    settings,
    profile,
    embedded = false,
    trace,
    wrongClocks = false,
    searchLimits,
  }: WorldOptions) {
    this.searchLimits = searchLimits;
    this.random = new Seeded(seed, 1);
    this.#resends = new Seeded(seed, 10);
    this.clocks = new Clocks(this, seed, wrongClocks);
    this.settings = settings;
    this.profile = profile;
    this.trace =
      trace &&
      ((process, line) => trace(`${clockText(this.now)}  ${(process?.name ?? '').padEnd(5)} ${line}`));
    this.store = new MemoryStore({
      shards: settings.shards,
      stale: () => !embedded && this.random.chance(this.profile.stale),
      slotPage: SLOT_PAGE,
    });
    if (embedded) this.boot = 'boot1';
    // what a power failure loses can be undone in the store in memory only
    const powers = new Seeded(seed, 9);
    if (embedded && powers.chance(0.3)) this.power = new Power(powers, this.store);
    else if (embedded) {
      this.#twin = new Twin(this.store, settings.shards, SLOT_PAGE, (detail) =>
        this.fail('SQLite answers like the store in memory', detail),
      );
    }
    this.queue = new SimulatedQueue(this);
    this.checks = new Checks(this);
    this.checks.watch(this.store);
  }

  process(name: string, kind: Kind): Process {
    const process = new Process(this, name, kind);
    this.processes.add(process);
    return process;
  }

  /** Ends the faults. */
  calm(): void {
    this.isCalm = true;
    this.profile = { ...CALM, skew: this.profile.skew };
    for (const process of this.processes) this.clocks.set(process, 0);
    this.trace?.(undefined, '*** no more faults from here on');
  }

  /** Starts the embedded server again after all its processes have ended. Their pending requests are lost. */
  restart(): void {
    if (this.boot === undefined) return;
    this.boot = `boot${Number(this.boot.slice(4)) + 1}`;
    this.count('restarted');
    if (!this.power) return;
    const lost = this.power.fail();
    this.checks.powerFailed();
    this.trace?.(
      undefined,
      `*** the power fails: ${lost} writes are lost, the clock is ${this.power.clockAhead} ms ahead`,
    );
    if (lost > 0) this.count('lost with the power');
  }

  /** Executes the call now. */
  apply(method: Method, args: unknown[]): Promise<unknown> {
    if (this.#twin) return this.#twin.call(method, args);
    const call = () => (this.store[method] as (...a: unknown[]) => Promise<unknown>)(...args);
    return this.power ? this.power.commit(method, args, call) : call();
  }

  close(): void {
    this.#twin?.close();
  }

  shardRow(jobId: string): Shard | undefined {
    return this.store.shards.get(shardOf(jobId, this.settings.shards));
  }

  hasEntry(entry: Entry): boolean {
    const slot = slotKey(minuteOf(entry.at), shardOf(entry.jobId, this.settings.shards));
    return this.store.slots.get(slot)?.has(entryKey(entry)) ?? false;
  }

  /** How far the search for an occurrence of the job has got that dispatch goes on with after the cursor. Undefined if none. */
  searchOf({ jobId, revision }: Pick<Entry, 'jobId' | 'revision'>, cursor: number): number | undefined {
    const entries = [...this.store.slots.values()].flatMap((slot) => [...slot.values()]);
    const own = entries.filter(
      (e) => e.kind === 'search' && e.jobId === jobId && e.revision === revision && minuteOf(e.at) > cursor,
    );
    return own.length === 0 ? undefined : Math.max(...own.map(({ due }) => dueAtOf(due)));
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  at(time: number, run: () => void): void {
    this.#heap.push({ at: Math.max(time, this.now), order: this.random.bits(), run });
  }

  /** Schedules an event inside a process. It is postponed while the process is stopped, and dropped if the process is dead. */
  within(process: Process, time: number, run: () => void): void {
    this.at(time, () => {
      if (process.dead) return;
      if (process.stalledUntil > this.now) return this.within(process, process.stalledUntil, run);
      run();
    });
  }

  crash(process: Process): void {
    process.dead = true;
    this.processes.delete(process);
    this.trace?.(process, '*** dies');
  }

  stall(process: Process, ms: number): void {
    process.stalledUntil = Math.max(process.stalledUntil, this.now + ms);
    this.checks.stalled(process);
    this.trace?.(process, `*** stops for ${ms} ms`);
  }

  cutOff(): void {
    this.#cutOffAt = this.now;
  }

  end(): void {
    this.#over = true;
  }

  fail(invariant: string, detail: string): void {
    this.violation ??= { invariant, detail, at: this.now };
    this.#over = true;
  }

  /** Runs until `end` is called or nothing is left to do. */
  run(): Promise<void> {
    return new Promise((resolve) => {
      const step = () => {
        if (this.#over) return;
        const event = this.#heap.pop();
        if (!event) {
          this.#over = true;
          return;
        }
        if (++this.events > MAX_EVENTS) return this.fail('comes to rest', `not after ${MAX_EVENTS} events`);
        this.now = event.at;
        try {
          event.run();
        } catch (error) {
          this.fail(
            'no unexpected error',
            error instanceof Error ? (error.stack ?? error.message) : String(error),
          );
        }
      };
      // Node empties the microtask queue between two immediates, so all code that the event started has stopped by then
      const round = () => {
        if (this.#over) return resolve();
        for (let i = 0; i < STEPS_AT_ONCE; i++) setImmediate(step);
        setImmediate(round);
      };
      round();
    });
  }

  sleep(process: Process, ms: number, signal?: StopSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const late = this.profile.slow > 0 ? this.random.int(0, 2) : 0;
      this.within(process, this.now + Math.max(0, Math.ceil(ms)) + late, resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  callStore(process: Process, method: Method, args: unknown[]): Promise<unknown> {
    const run = (...given: unknown[]) => this.apply(method, given);
    const [first] = args;
    // a writer is ended before its last request could land too late (docs/protocol.md#plan, step 2)
    const last = WRITERS.has(process.kind) && DECIDING.has(method);
    return this.call(process, method, args, last, async (share) => {
      if (share < 1 && method === 'putEntries' && Array.isArray(first))
        return run(first.slice(0, Math.floor(first.length * share)));
      if (share < 0.5 && method === 'putOperation' && !this.#twin)
        this.#putHalf(first as Operation, share < 0.25);
      if (share < 1) return undefined;
      const answer = await run(...args);
      if (answer === false && (method === 'insertRow' || method === 'updateRow'))
        this.checks.refusedRow(process, args.at(-1) as Row);
      return answer;
    });
  }

  /** Does one of the two writes of a batch. SQLite writes both or none. */
  #putHalf({ id, createdAt, userId, ...rest }: Operation, itself: boolean): void {
    const { operations, openOperations } = this.store;
    if (itself) operations.set(id, { id, createdAt, userId, ...rest });
    else openOperations.set(id, { id, createdAt, userId });
  }

  send(process: Process, messages: readonly Message[]): Promise<void> {
    return this.call(process, 'send', [messages], false, async (share) =>
      this.queue.accept(messages.slice(0, Math.ceil(messages.length * share))),
    );
  }

  /**
   * One call of one process. `apply` makes the effect of a share of its items: 1 for all, less if the call fails.
   * A request that was sent takes effect even if its sender dies.
   */
  call<T>(
    process: Process,
    what: string,
    args: unknown[],
    last: boolean,
    apply: (share: number) => Promise<T>,
  ): Promise<T> {
    if (process.dead) return new Promise(() => {});
    const { random, profile } = this;
    const isBeat = BEATS.has(what) && profile.slowBeats > 0 && random.chance(profile.slowBeats);
    const there = isBeat
      ? random.int(0, this.settings.leaseMs * (what === 'putCheckpoint' ? 4 : 1))
      : last
        ? Math.min(this.#delay(), LAST_REQUEST_MS)
        : this.#delay();
    const isSlow = process.kind === 'worker' && READING.test(what) && random.chance(profile.slowReads);
    const slowRead = isSlow ? random.int(500, 3000) : 0;
    const isSlowClaim = profile.slowClaims > 0 && WRITING.has(what) && random.chance(profile.slowClaims);
    const slowWrite = process.kind === 'worker' && isSlowClaim ? random.int(100, 900) : 0;
    const slowAnswer = isBeat && random.chance(0.5) ? random.int(0, this.settings.leaseMs) : 0;
    const back = slowRead || slowWrite || slowAnswer || (random.chance(0.6) ? 0 : this.#delay());
    const fails = profile.fail > 0 && random.chance(profile.fail);
    const lost = !fails && profile.lost > 0 && random.chance(profile.lost);
    const sent = last || random.chance(0.5);
    const asked = process.clock.monotonic();
    return new Promise<T>((resolve, reject) => {
      const effect = () => {
        if (process.dead && process.bornAt < this.#cutOffAt) return;
        if (process.boot !== this.boot) return;
        const servedAt = this.now;
        const answer = (go: () => void) => {
          const run = () => {
            if (!lost) this.clocks.answered(process, asked, servedAt);
            go();
          };
          if (back === 0 && !process.stalled) {
            if (!process.dead) run();
          } else this.within(process, this.now + back, run);
        };
        const share = fails ? random.float() * 0.99 : 1;
        this.actor = process;
        const done = apply(share);
        this.actor = undefined;
        if (!fails && this.#isSentTwice(process, what)) {
          this.at(this.now + this.#resends.int(1, this.settings.leaseMs * 1.6), () => {
            this.actor = process;
            void apply(1);
            this.actor = undefined;
          });
        }
        done.then(
          (value) => {
            if (!fails && WRITING.has(what)) this.onWritten?.(process);
            this.trace?.(process, describeCall(this, what, args, value, { fails, lost, back }));
            answer(() =>
              fails || lost
                ? reject(new InjectedFault(`${what} ${lost ? 'lost its answer' : 'failed'}`))
                : resolve(value),
            );
          },
          (error: unknown) => this.fail('no unexpected error', String(error)),
        );
      };
      if (sent) this.at(this.now + there, effect);
      else this.within(process, this.now + there, effect);
    });
  }

  /** Whether the SDK of a worker sends a write again, so that a copy of it lands late. SQLite has no such copies. */
  #isSentTwice({ kind }: Process, what: string): boolean {
    const { profile, boot } = this;
    if (kind !== 'worker' || boot !== undefined || profile.lost === 0 || !WRITING.has(what)) return false;
    return this.#resends.chance(profile.lost);
  }

  #delay(): number {
    const { random, profile, settings } = this;
    const x = random.float();
    if (x < profile.hang) return random.int(0, settings.leaseMs * (random.chance(0.2) ? 6 : 1.6));
    if (x < profile.hang + profile.slow) return random.int(0, random.chance(0.3) ? 3000 : 300);
    return random.int(1, 6);
  }

  /** Checks the error of a use case. An injected fault or an answer to a client is expected, and all else is a bug. */
  expected(process: Process, what: string, error: unknown): void {
    this.trace?.(process, `${what} ends with ${String(error)}`);
    if (error instanceof InjectedFault || error instanceof PunctualError || error instanceof WriterTooSlow)
      return;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.fail('no unexpected error', `${process.name} ${what}: ${text}`);
  }

  loggedError(process: Process, message: string, fields?: Record<string, unknown>): void {
    if ((this.clocks.areWrong || this.power) && message.includes('clock')) return;
    if (!String(fields?.error).startsWith('InjectedFault'))
      this.fail('no unexpected error', `${process.name}: ${message} ${String(fields?.error)}`);
  }
}

const READING = /^(read|list|has)/;

/** The writes that other processes see of a claim, a run or a change. */
const WRITING: ReadonlySet<string> = new Set([
  ...['insertHead', 'updateHead', 'insertRow', 'updateRow', 'putEntries'],
  ...['takeLock', 'extendLease', 'requestCancel', 'writeSeat', 'claim', 'putWait'],
]);

const BEATS: ReadonlySet<string> = new Set(['extendLease', 'putCheckpoint']);

const WRITERS: ReadonlySet<Kind> = new Set<Kind>(['api', 'operations']);
/** The writes that make a writer's earlier writes count. */
const DECIDING: ReadonlySet<string> = new Set(['insertHead', 'updateHead', 'insertRow', 'updateRow']);

/** Virtual time since the epoch of the simulation: minutes, seconds, milliseconds. */
export function clockText(time: number): string {
  const ms = time - EPOCH;
  const sign = ms < 0 ? '-' : '';
  const abs = Math.abs(ms);
  const pad = (n: number, width: number) => String(n).padStart(width, '0');
  return `${sign}${pad(Math.floor(abs / 60_000), 2)}:${pad(Math.floor(abs / 1000) % 60, 2)}.${pad(abs % 1000, 3)}`;
}
