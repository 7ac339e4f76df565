// The machines: workers that receive messages, watchers, and the faults that happen to them.
import { isTerminal, type Row } from '../../src/domain/executions/row.ts';
import { MINUTE } from '../../src/domain/executions/slots.ts';
import { carryOutOperations } from '../../src/jobs/operations/carry-out.ts';
import { refillQueue } from '../../src/local/refill-queue.ts';
import type { Message, Received } from '../../src/queue/queue.ts';
import { isClockRight } from '../../src/scheduling/context.ts';
import { watch } from '../../src/scheduling/planning/watch-shards.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { KeyLines } from '../../src/scheduling/running/key-lines.ts';
import type { WorkerPlaces } from '../../src/scheduling/running/worker-port.ts';
import type { Seeded } from '../support/seeded.ts';
import type { Process } from './process.ts';
import type { Scenario } from './scenario.ts';
import { simulatedTask } from './simulated-task.ts';
import { EPOCH, type SimulatedWorld } from './simulated-world.ts';

/** The number of restarts per virtual minute, in seeds that have restarts. */
const RESTARTS = 0.7;

interface Worker {
  readonly process: Process;
  readonly draining: AbortController;
  readonly aborting: AbortController;
  readonly keys: KeyLines;
}

const OPERATIONS_MS = 50_000;

export class Fleet {
  readonly #world: SimulatedWorld;
  readonly #scenario: Scenario;
  readonly #random: Seeded;
  /** Whether the queue is refilled after it lost its contents, as local mode does at its start. */
  readonly #refills: boolean;
  #refilling: Process | undefined;
  #workers: Worker[] = [];
  #started = 0;

  constructor(world: SimulatedWorld, scenario: Scenario, random: Seeded, refills: boolean) {
    this.#world = world;
    this.#scenario = scenario;
    this.#random = random;
    this.#refills = refills;
  }

  begin(): void {
    const { workers, watchers } = this.#scenario;
    const { watchPeriodMs } = this.#world.settings;
    this.#world.queue.receiver = (message, receive) => this.#deliver(message, receive);
    this.#startWorkers(workers);
    for (let i = 0; i < watchers; i++) {
      this.#watchAt(EPOCH + Math.floor(((i + this.#random.float()) * watchPeriodMs) / watchers));
    }
    this.#planMischief();
    this.#world.onWritten = (process) => {
      if (this.#isMortal(process) && this.#random.chance(this.#world.profile.crashAfterWrite))
        this.#kill(process);
    };
    if (this.#scenario.lastMoments) this.#world.checks.onOpened = (process) => this.#killSoon(process);
    if (this.#scenario.keyed) this.#world.checks.keys.onSeat = (process) => this.#stopInSeat(process);
    if (this.#scenario.outage) this.#world.checks.onRow = (row) => this.#killBeforeWake(row);
  }

  /** Starts enough machines after the last fault. */
  recover(refilled: () => void): void {
    const world = this.#world;
    // a server that was down until now starts, and its queue is empty
    const starts = world.down && world.boot !== undefined;
    world.down = false;
    if (starts && !this.#scenario.killAll) this.#refill();
    if (this.#scenario.killAll) {
      this.#killAll(true);
      this.#refill(refilled);
    }
    this.#workers = this.#workers.filter(({ draining }) => !draining.signal.aborted);
    this.#startWorkers(Math.min(2, this.#scenario.workers));
  }

  // ---- faults ----------------------------------------------------------------------------------------------------

  #planMischief(): void {
    const world = this.#world;
    const { profile, settings } = world;
    const { calmAt, downtime, workers } = this.#scenario;
    const random = this.#random;
    const sometimes = (perMinute: number, act: () => void) => {
      const times = Math.floor((perMinute * (calmAt - EPOCH)) / MINUTE + random.float());
      for (let i = 0; i < times; i++) world.at(random.int(EPOCH + 1000, calmAt), act);
    };
    const someProcess = (act: (process: Process) => void) => () => {
      const living = [...world.processes].filter((process) => this.#isMortal(process));
      if (living.length > 0) act(random.pick(living));
    };
    const longest = () => settings.leaseMs * (random.chance(0.3) ? 6 : 2);
    sometimes(
      profile.crashes,
      someProcess((process) => this.#kill(process)),
    );
    sometimes(
      profile.stalls,
      someProcess((process) => world.stall(process, random.int(500, longest()))),
    );
    sometimes(profile.drains, () => this.#drain());
    if (world.boot !== undefined && random.chance(0.6)) sometimes(RESTARTS, () => this.#restart());
    if (!downtime) return;
    world.at(downtime.from, () => {
      world.down = true;
      world.trace?.(undefined, '*** everything is down');
      this.#killAll(downtime.wipe);
    });
    world.at(downtime.until, () => {
      world.down = false;
      if (downtime.wipe || world.boot !== undefined) this.#refill();
      this.#startWorkers(workers);
    });
  }

  /** Whether a fault may kill the process. API calls survive an outage, because only settle repairs one that dies. */
  #isMortal({ kind }: Process): boolean {
    return !this.#scenario.outage || kind !== 'api';
  }

  /** kill -9 of the embedded server, and a restart at once. */
  #restart(): void {
    if (this.#world.down) return;
    this.#world.trace?.(undefined, '*** the server is killed and started again');
    this.#killAll(true);
    this.#startWorkers(this.#scenario.workers);
    this.#refill();
  }

  #killAll(wiped: boolean): void {
    const world = this.#world;
    const wipe = wiped || world.boot !== undefined;
    for (const process of [...world.processes]) if (wipe || this.#isMortal(process)) world.crash(process);
    this.#workers = [];
    world.restart();
    if (wipe) world.queue.wipe();
  }

  #kill(process: Process): void {
    const world = this.#world;
    // the refill is a part of the server's start, so it ends only with the server
    if (process.dead || process === this.#refilling) return;
    world.crash(process);
    const others = this.#workers.filter((worker) => worker.process !== process);
    if (others.length === this.#workers.length) return;
    this.#workers = others;
    world.at(world.now + this.#random.int(0, 20_000), () => {
      if (!world.down) this.#startWorkers(this.#scenario.workers);
    });
  }

  /** Kills some workers between the open of a row and the start. */
  #killSoon(process: Process): void {
    const world = this.#world;
    if (!world.isCalm && this.#random.chance(0.2))
      world.at(world.now + this.#random.int(0, 500), () => this.#kill(process));
  }

  /** Stops or kills some workers between the taking of a seat and the start. */
  #stopInSeat(process: Process): void {
    const world = this.#world;
    const { leaseMs } = world.settings;
    if (world.isCalm || process.kind !== 'worker') return;
    if (this.#random.chance(0.05)) world.stall(process, this.#random.int(500, 2 * leaseMs));
    if (this.#random.chance(0.05)) world.at(world.now + this.#random.int(0, 500), () => this.#kill(process));
  }

  /** Kills a worker between an end and the wake of the next execution, shortly before the faults end. */
  #killBeforeWake({ status }: Row): void {
    const world = this.#world;
    const { actor, now } = world;
    const last = now > this.#scenario.calmAt - 20_000 && !world.isCalm;
    if (last && actor?.kind === 'worker' && isTerminal(status) && this.#random.chance(0.2))
      world.at(now, () => this.#kill(actor));
  }

  /** SIGTERM: what runs may end until the deadline, then it is told to stop, then the process is gone. */
  #drain(): void {
    const world = this.#world;
    const worker = this.#workers.find(({ draining }) => !draining.signal.aborted);
    if (!worker) return;
    const { process, draining, aborting } = worker;
    world.within(process, world.now, () => {
      world.trace?.(process, '*** drains');
      draining.abort();
    });
    world.within(process, world.now + this.#random.int(0, 6000), () => aborting.abort());
    world.at(world.now + this.#random.int(6000, 20_000), () => this.#kill(process));
  }

  /** Starts as local mode does: the queue is refilled, then a watcher passes at once. */
  #refill(done: () => void = () => {}): void {
    if (!this.#refills) return;
    const world = this.#world;
    world.cutOff();
    const process = world.process(`R${++this.#started}`, 'watcher');
    this.#refilling = process;
    refillQueue(process.context)
      .catch((error: unknown) => world.expected(process, 'refill', error))
      .then(() => {
        world.processes.delete(process);
        this.#watch();
        done();
      });
  }

  // ---- work ------------------------------------------------------------------------------------------------------

  #startWorkers(until: number): void {
    while (this.#workers.length < until) {
      const process = this.#world.process(`W${++this.#started}`, 'worker');
      this.#workers.push({
        ...{ process, draining: new AbortController(), aborting: new AbortController() },
        keys: new KeyLines(process.context),
      });
    }
  }

  #deliver(message: Message, receive: (process: Process) => Received): boolean {
    const world = this.#world;
    // a worker with a wrong clock does not poll, but it may learn only from the answer of a poll that its clock is wrong
    const polls = ({ context }: Process) => isClockRight(context) || world.clocks.isPollUnderWay();
    const ready = this.#workers.filter(
      ({ process, draining }) => !process.stalled && !draining.signal.aborted && polls(process),
    );
    if (ready.length === 0) return false;
    const worker = this.#random.pick(ready);
    world.clocks.polled(worker.process);
    this.#handle(worker, message, receive(worker.process));
    return true;
  }

  #handle(one: Worker, message: Message, received: Received): void {
    const world = this.#world;
    const { checks } = world;
    const { process, draining, aborting, keys } = one;
    const { jobId, due, revision } = message;
    world.trace?.(process, `gets ${checks.nameOf(jobId, due)}/${revision.slice(0, 4)}`);
    const inHand = checks.received(process, message);
    const tasks = simulatedTask(world, inHand, this.#scenario.failing);
    const worker = {
      identity: { workerId: process.name, tasks },
      shutdown: { draining: draining.signal, aborting: aborting.signal },
      places: this.#places(process),
      keys,
      handleAgain: () => this.#handle(one, message, received),
    };
    handleMessage(process.context, worker, received)
      .catch((error: unknown) => world.expected(process, 'execute', error))
      .then(() => checks.handled(inHand));
  }

  #places(process: Process): WorkerPlaces {
    const world = this.#world;
    const longest = world.boot === undefined ? 30_000 : 2 * world.settings.clockSkewMs;
    return {
      ownedBy() {},
      markDue() {},
      // now and then all places are occupied for a while
      acquire: async () => {
        if (!world.isCalm && this.#random.chance(0.15))
          await process.context.clock.sleep(this.#random.int(0, 3000));
        return world.isCalm || !this.#random.chance(0.02);
      },
      // the owner has its share: the message hides for a while. On an embedded server the time is short, because the checks take a
      // longer one for the wait for a holder that is gone
      returnAfterMs: () => (this.#random.chance(0.5) ? 0 : this.#random.int(500, longest)),
      release() {},
      turn: () => undefined,
      running: { add() {}, remove() {} },
    };
  }

  #watchAt(time: number): void {
    const world = this.#world;
    world.at(time, () => {
      this.#watchAt(time + world.settings.watchPeriodMs);
      if (!world.down) this.#watch();
    });
  }

  #watch(): void {
    const world = this.#world;
    const process = world.process(`X${++this.#started}`, 'watcher');
    const shards = Array.from({ length: world.settings.shards }, (_, shard) => shard);
    watch(process.context, shards, new AbortController().signal)
      .catch((error: unknown) => world.expected(process, 'watch', error))
      .then(() => world.processes.delete(process));
    if (world.store.openOperations.size > 0) this.#carryOut();
  }

  /** Carries out operations beside a pass, for as long as a pass on AWS has time for them. */
  #carryOut(): void {
    const world = this.#world;
    const process = world.process(`O${++this.#started}`, 'operations');
    const end = world.now + OPERATIONS_MS;
    carryOutOperations(process.context, () => world.now < end)
      .catch((error: unknown) => world.expected(process, 'operations', error))
      .then(() => world.processes.delete(process));
    if (!world.isCalm && this.#random.chance(0.4))
      world.at(world.now + this.#random.int(0, 1000), () => this.#kill(process));
  }
}
