// One process of the simulated system: a worker, a pass of a watcher, or an API call. It has its own clocks and random
// numbers. Its calls of store, queue and clock go through the world, which may delay or fail them, or kill the process.
import { createReferenceClock, type ReferenceClock } from '../../src/runtime/clock/reference-clock.ts';
import type { Context, Log } from '../../src/scheduling/context.ts';
import { claimStepByStep, type Store } from '../../src/store/store.ts';
import { Seeded } from '../support/seeded.ts';
import type { SimulatedWorld } from './simulated-world.ts';

export type Kind = 'worker' | 'watcher' | 'operations' | 'api';

export class Process {
  readonly world: SimulatedWorld;
  readonly name: string;
  readonly kind: Kind;
  /** How far its wall clock is ahead, within what is allowed. */
  readonly skew: number;
  readonly context: Context;
  readonly clock: ReferenceClock;
  /** The time of its start, by its own clock. */
  readonly bornAt: number;
  /** How far ahead of true time its own clock was, and since when. */
  readonly #ahead: { from: number; by: number }[] = [];
  /** How far its wall clock is ahead besides, beyond what is allowed. 0 if the clock is right. */
  error = 0;
  /** The start of the embedded server that this process belongs to. */
  readonly boot: string | undefined;
  dead = false;
  /** Until when the process is stopped as by SIGSTOP. Its clocks go on. */
  stalledUntil = 0;

  constructor(world: SimulatedWorld, name: string, kind: Kind) {
    const { settings, random } = world;
    this.world = world;
    this.name = name;
    this.kind = kind;
    this.boot = world.boot;
    const half = Math.floor(settings.clockSkewMs / 2);
    const { skew: differs, slowBeats } = world.profile;
    const skew = differs ? (slowBeats > 0 ? random.pick([-half, half]) : random.int(-half, half)) : 0;
    this.skew = world.power?.clockAhead ?? skew;
    this.error = world.power ? 0 : world.clocks.atBirth(this);
    const own = new Seeded(random.bits(), random.bits());
    const booted = random.int(0, 1_000_000);
    const monotonic = () => world.now + booted;
    this.clock = createReferenceClock(
      {
        now: () => world.now + this.skew + this.error,
        monotonic,
        uptime: monotonic,
        sleep: (ms, signal) => world.sleep(this, ms, signal),
      },
      world.power ? 'own' : 'answers',
    );
    this.context = {
      store: new RemoteStore(this) as unknown as Store,
      queue: { send: (messages) => world.send(this, messages) },
      clock: { ...this.clock, now: () => this.now() },
      random: { id: (length) => own.id(length), float: () => own.float() },
      log: this.#log(),
      settings,
      ...(world.searchLimits && { searchLimits: world.searchLimits }),
      ...(world.boot !== undefined && { boot: world.boot }),
      ...(world.power && { numbers: world.power.numbers(() => world.sleep(this, 3)) }),
    };
    this.bornAt = this.now();
  }

  now(): number {
    const shown = this.clock.now();
    const by = shown - this.world.now;
    if (this.#ahead.at(-1)?.by !== by) this.#ahead.push({ from: this.world.now, by });
    return shown;
  }

  /** The true time at which its clock showed this. */
  trueTime(shown: number): number {
    const known = this.#ahead.findLast(({ from, by }) => shown - by >= from) ?? this.#ahead[0];
    return shown - (known?.by ?? 0);
  }

  get stalled(): boolean {
    return this.stalledUntil > this.world.now;
  }

  #log(): Log {
    const write = (message: string, fields?: Record<string, unknown>) =>
      this.world.trace?.(this, `# ${message}${fields?.error ? ` (${String(fields.error)})` : ''}`);
    return {
      debug: write,
      info: write,
      warn: write,
      error: (message, fields) => {
        write(message, fields);
        this.world.loggedError(this, message, fields);
      },
    };
  }
}

const METHODS = [
  'putDefinition',
  'readDefinition',
  'readDefinitions',
  'insertHead',
  'readHead',
  'readHeads',
  'updateHead',
  'takeLock',
  'keepHead',
  'expireBeside',
  'eraseRows',
  'eraseJobs',
  'eraseOwner',
  'listHeads',
  'putEntries',
  'readSlot',
  'hasEntry',
  'insertRow',
  'updateRow',
  'extendLease',
  'requestCancel',
  'putCheckpoint',
  'readCheckpoint',
  'putWait',
  'firstWait',
  'removeWait',
  'claim',
  'readRow',
  'readRows',
  'listRows',
  'listRowKeys',
  'insertShard',
  'readShard',
  'takeShard',
  'commitShard',
  'resetShard',
  'putWorker',
  'removeWorker',
  'listWorkers',
  'insertChange',
  'listChanges',
  'readName',
  'writeName',
  'putOperation',
  'addToQuota',
  'readOperation',
  'replaceOperation',
  'listOpenOperations',
  'delistOperation',
  'readSeats',
  'writeSeat',
] as const satisfies readonly (keyof Store)[];

export type Method = (typeof METHODS)[number];

/** The store as one process sees it. The world decides when each call takes effect and when it is answered. */
class RemoteStore {
  readonly process: Process;
  constructor(process: Process) {
    this.process = process;
    // SQLite claims in one transaction
    if (process.boot === undefined)
      this.claim = (writes) => claimStepByStep(this as unknown as Store, writes);
  }

  declare claim: Store['claim'];
}
for (const name of METHODS) {
  Object.defineProperty(RemoteStore.prototype, name, {
    writable: true,
    value(this: RemoteStore, ...args: unknown[]) {
      return this.process.world.callStore(this.process, name, args);
    },
  });
}
