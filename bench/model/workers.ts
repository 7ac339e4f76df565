// The workers: polls, messages in hand, places, and the life of each execution (src/worker/worker.ts, src/scheduling/running/handle-message.ts).

import { SHORT_RUN_MS } from '../../src/scheduling/claiming/holds.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { SLOT_WAIT_MS } from '../../src/worker/run-slots.ts';
import { HELD_PER_SLOT } from '../../src/worker/worker.ts';
import type { Seeded } from '../../test/support/seeded.ts';
import { type Calendar, TICKS_PER_MS } from './calendar.ts';
import { Calls, FINISH, LIST_ROWS, READ_HEAD, READ_ROW, TAKE } from './calls.ts';
import { Deletes } from './deletes.ts';
import { figure } from './parameters.ts';
import { Places } from './places.ts';
import { Polls } from './polls.ts';
import type { Queues } from './queues.ts';
import { answersOf } from './random.ts';
import type { Tables } from './tables.ts';
import type { Workload } from './workload.ts';

export const STAGES = ['queued', 'inHand', 'readingHead', 'readingRow', 'taking', 'held', 'waitingForPlace', 'running', 'finishing', 'lookingForNext', 'done', 'gaveUp'] as const; // biome-ignore format: a row
const [QUEUED, IN_HAND, HEAD, ROW, TAKING, HELD, WAITING, RUNNING, FINISHING, LOOKING, DONE, GAVE_UP] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const; // biome-ignore format: a row

/** Head and row are read, and the job is taken, so long before the fire time, by job (src/scheduling/running/handle-message.ts). */
const PREPARE_AHEAD_MS = 150;
const PREPARE_SPREAD_MS = 250;
/** They begin at whole multiples of this, so that there is one request for many. */
const PREPARE_EVERY = 50 * TICKS_PER_MS;
const PATIENCE = SLOT_WAIT_MS * TICKS_PER_MS;
/** The SDK: so many tries of what was throttled, after random × 500 ms × 2ⁿ (src/runtime/aws-clients.ts). */
const TRIES = 4;
const THROTTLED_BACKOFF = 500 * TICKS_PER_MS;
/** A finish that was refused in all tries is begun again until the lease could be another's. */
const GIVE_UP = DEFAULT_SETTINGS.leaseMs * TICKS_PER_MS;
const HIDDEN_AFTER_FAILURE = DEFAULT_SETTINGS.clockSkewMs * TICKS_PER_MS;

export class Workers {
  readonly stage: Uint8Array;
  /** Milliseconds from due to start; NaN: not started. */
  readonly late: Float32Array;
  readonly calls: Calls;
  readonly queues: Queues;
  retries = 0;
  /** Messages that went back to the queue: no place, or the take failed. */
  handedBack = 0;
  readonly #calendar: Calendar;
  readonly #workload: Workload;
  readonly #tables: Tables;
  readonly #random: Seeded;
  readonly #worker: Int32Array;
  readonly #tries: Uint8Array;
  readonly #since: Int32Array;
  /** Of an execution: a place is promised to it. Of a worker: how many it has promised. */
  readonly #promised: Uint8Array;
  readonly #promises: Int32Array;
  readonly #places: Places;
  readonly #polls: Polls;
  readonly #deletes: Deletes;
  readonly #go: number;
  readonly #again: number;
  readonly #impatient: number;
  readonly #back: number;

  constructor(calendar: Calendar, workload: Workload, tables: Tables, random: Seeded) {
    const { options, executions } = workload;
    const { workers, queues, concurrency } = options;
    this.#calendar = calendar;
    this.#workload = workload;
    this.#tables = tables;
    this.#random = random;
    this.stage = new Uint8Array(executions);
    this.late = new Float32Array(executions).fill(Number.NaN);
    this.#worker = new Int32Array(executions);
    this.#tries = new Uint8Array(executions);
    this.#since = new Int32Array(executions);
    this.#promised = new Uint8Array(executions);
    this.#promises = new Int32Array(workers);
    this.#places = new Places(calendar, workers, concurrency);
    this.#go = calendar.kind((e) => this.#goOn(e));
    this.#again = calendar.kind((e) => this.#ask(e, true));
    this.#impatient = calendar.kind((e) => this.#loseHope(e));
    this.#back = calendar.kind((e) => this.queues.handBack(e));
    this.calls = new Calls({
      calendar,
      workers,
      executions,
      groupCommit: options.groupCommit,
      cpuFactor: options.cpuFactor,
      latency: answersOf(random, 'DynamoDB'),
      answered: this.#go,
    });
    this.#polls = new Polls({
      calendar,
      workload,
      random,
      places: this.#places,
      receive: (worker, brought) => this.#receive(worker, brought),
    });
    this.queues = this.#polls.queues;
    this.#deletes = new Deletes(calendar, workers, queues, (worker, queue, count) => {
      this.calls.spend(worker, figure('CPU of a receive or a delete of ten'));
      this.queues.requests++;
      this.queues.deleted(queue, count);
    });
    this.#polls.start();
  }

  #receive(worker: number, executions: readonly number[]): void {
    const parsed = this.calls.spend(worker, figure('CPU of a receive or a delete of ten'));
    for (const e of executions) {
      this.#worker[e] = worker;
      this.stage[e] = IN_HAND;
      const spread = (this.#workload.jobOf(e) * 7919) % PREPARE_SPREAD_MS;
      const ahead = this.#workload.dueTick(e) - (PREPARE_AHEAD_MS + spread) * TICKS_PER_MS;
      this.#calendar.at(Math.max(parsed, ahead - (ahead % PREPARE_EVERY)), this.#go, e);
    }
  }

  #goOn(e: number) {
    const { now } = this.#calendar;
    const job = this.#workload.jobOf(e);
    const again = (this.#tries[e] as number) > 0;
    switch (this.stage[e]) {
      case IN_HAND:
        return this.#next(e, HEAD);
      case HEAD:
        if (!this.#tables.jobsReads.take(job, 0.5, now, again)) return this.#throttled(e);
        return this.#next(e, ROW);
      case ROW:
        if (!this.#tables.executionsReads.take(job, 0.5, now, again)) return this.#throttled(e);
        return this.#promise(e) ? this.#next(e, TAKING) : this.#hold(e);
      case TAKING:
        if (!this.#tables.write(this.#tables.jobs, job, now, again)) return this.#throttled(e);
        return this.#promised[e] ? this.#hold(e) : this.#start(e);
      case HELD:
        return this.#admit(e);
      case RUNNING:
        this.#since[e] = now;
        return this.#next(e, FINISHING);
      case FINISHING:
        if (!this.#tables.insertRow(job, this.#workload.ownerOf(e), now, again)) return this.#throttled(e);
        if (this.#workload.options.taskMs < SHORT_RUN_MS) return this.#end(e, DONE);
        return this.#next(e, LOOKING);
      case LOOKING:
        if (!this.#tables.executionsReads.take(job, 0.5, now, again)) return this.#throttled(e);
        return this.#end(e, DONE);
    }
  }

  #next(e: number, stage: number): void {
    this.stage[e] = stage;
    this.#tries[e] = 0;
    this.#ask(e, false);
  }

  #ask(e: number, alone: boolean): void {
    const stage = this.stage[e];
    const call =
      stage === HEAD ? READ_HEAD : stage === ROW ? READ_ROW : stage === TAKING ? TAKE : stage === FINISHING ? FINISH : LIST_ROWS; // biome-ignore format: a choice
    this.calls.ask(this.#worker[e] as number, call, e, alone);
  }

  #throttled(e: number) {
    const tries = (this.#tries[e] as number) + 1;
    this.#tries[e] = Math.min(tries, 200);
    const round = (tries - 1) % TRIES;
    if (tries % TRIES === 0 && this.stage[e] === TAKING) return this.#fail(e);
    if (tries % TRIES === 0 && this.stage[e] === FINISHING) {
      if (this.#calendar.now - (this.#since[e] as number) > GIVE_UP) return this.#end(e, GAVE_UP);
    }
    this.retries++;
    const backoff = this.#random.float() * THROTTLED_BACKOFF * 2 ** round;
    this.#calendar.at(this.#calendar.now + backoff, this.#again, e);
  }

  /** Is a place to be had when it is due? Then it is taken ahead (src/worker/run-slots.ts). */
  #promise(e: number): boolean {
    const worker = this.#worker[e] as number;
    const { concurrency, taskMs } = this.#workload.options;
    const each = Math.min(HELD_PER_SLOT, Math.max(1, (2 * SLOT_WAIT_MS) / taskMs));
    const promised = this.#promises[worker] as number;
    if (promised >= concurrency * (each - 1) + this.#places.free(worker)) return false;
    this.#promises[worker] = promised + 1;
    this.#promised[e] = 1;
    return true;
  }

  #redeem(e: number): void {
    const worker = this.#worker[e] as number;
    if (this.#promised[e]) this.#promises[worker] = (this.#promises[worker] as number) - 1;
    this.#promised[e] = 0;
  }

  #hold(e: number): void {
    this.stage[e] = HELD;
    this.#tries[e] = 0;
    this.#calendar.at(Math.max(this.#calendar.now, this.#workload.dueTick(e)), this.#go, e);
  }

  /** With a place: what is taken already starts. */
  #begin(e: number) {
    if (!this.#promised[e]) return this.#next(e, TAKING);
    this.#redeem(e);
    return this.#start(e);
  }

  #admit(e: number) {
    if (this.#places.take(this.#worker[e] as number)) return this.#begin(e);
    this.stage[e] = WAITING;
    this.#since[e] = this.#calendar.now;
    this.#places.wait(this.#worker[e] as number, e);
    this.#calendar.at(this.#calendar.now + PATIENCE, this.#impatient, e);
  }

  /** No place within its patience: another worker should have it. */
  #loseHope(e: number): void {
    if (this.stage[e] !== WAITING || this.#calendar.now - (this.#since[e] as number) < PATIENCE) return;
    this.#toQueue(e, 0);
  }

  #fail(e: number): void {
    if (!this.#promised[e]) this.#leave(this.#worker[e] as number);
    this.#toQueue(e, HIDDEN_AFTER_FAILURE);
  }

  #toQueue(e: number, hidden: number): void {
    this.#redeem(e);
    this.handedBack++;
    this.queues.requests++;
    this.stage[e] = QUEUED;
    this.#tries[e] = 0;
    this.#polls.release(this.#worker[e] as number);
    this.#calendar.at(this.#calendar.now + hidden, this.#back, e);
  }

  #start(e: number): void {
    const { taskMs, taskCpuMs } = this.#workload.options;
    const { now } = this.#calendar;
    this.late[e] = (now - this.#workload.dueTick(e)) / TICKS_PER_MS;
    this.stage[e] = RUNNING;
    const own = figure('CPU of an execution beside its calls');
    const computed = this.calls.spend(this.#worker[e] as number, own + taskCpuMs);
    this.#calendar.at(Math.max(now + taskMs * TICKS_PER_MS, computed), this.#go, e);
  }

  #end(e: number, stage: number): void {
    const worker = this.#worker[e] as number;
    this.stage[e] = stage;
    this.#leave(worker);
    this.#deletes.add(worker, this.#workload.queueOf(e));
    this.#polls.release(worker);
  }

  #leave(worker: number) {
    const e = this.#places.leave(
      worker,
      (one) => this.stage[one] === WAITING && this.#worker[one] === worker,
    );
    if (e !== undefined) this.#begin(e);
  }

  /** Places taken, on average over `ticks`. */
  meanPlaces(ticks: number): number {
    return this.#places.taken(this.#calendar.now) / ticks;
  }

  /** Executions by where they are. */
  counts(): Record<(typeof STAGES)[number], number> {
    const counts = STAGES.map(() => 0);
    for (const stage of this.stage) counts[stage] = (counts[stage] as number) + 1;
    return Object.fromEntries(STAGES.map((name, i) => [name, counts[i] as number])) as Record<(typeof STAGES)[number], number>; // biome-ignore format: a cast
  }
}
