// The workers: polls, messages in hand, places, and the life of each execution (src/worker/worker.ts, src/scheduling/execute.ts).

import { BATCH } from '../../src/queue/batch.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { IN_HAND_PER_PLACE, PLACE_PATIENCE_MS } from '../../src/worker/worker.ts';
import { type Calendar, TICKS_PER_MS } from './calendar.ts';
import { Calls, FINISH, LIST_ROWS, READ_HEAD, READ_ROW, TAKE } from './calls.ts';
import { figure } from './parameters.ts';
import { Queues } from './queues.ts';
import { latency, type Seeded } from './random.ts';
import type { Tables } from './tables.ts';
import type { Workload } from './workload.ts';

export const STAGES = ['queued', 'inHand', 'readingHead', 'readingRow', 'held', 'waitingForPlace', 'taking', 'running', 'finishing', 'lookingForNext', 'done', 'gaveUp'] as const; // biome-ignore format: a row
const [QUEUED, IN_HAND, HEAD, ROW, HELD, WAITING, TAKING, RUNNING, FINISHING, LOOKING, DONE, GAVE_UP] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const; // biome-ignore format: a row

const POLLERS_PER_QUEUE = 2;
const PREPARE_AHEAD = 250 * TICKS_PER_MS;
const PATIENCE = PLACE_PATIENCE_MS * TICKS_PER_MS;
const COALESCE_DELETES = 500 * TICKS_PER_MS;
/** The SDK: so many tries of what was throttled, after random × 500 ms × 2ⁿ (src/clients.ts). */
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
  /** Ticks that places were taken, over all workers; of those still taken, less than nothing. */
  #placeTicks = 0;
  readonly #calendar: Calendar;
  readonly #workload: Workload;
  readonly #tables: Tables;
  readonly #random: Seeded;
  readonly #sqs: () => number;
  readonly #worker: Int32Array;
  readonly #tries: Uint8Array;
  readonly #since: Int32Array;
  readonly #free: Int32Array;
  readonly #inHand: Int32Array;
  readonly #waiting: number[][];
  readonly #parked: number[][];
  readonly #deletes: Int32Array;
  readonly #deletesSince: Int32Array;
  readonly #go: number;
  readonly #again: number;
  readonly #impatient: number;
  readonly #flushDeletes: number;
  readonly #back: number;
  readonly #pollers: number;

  constructor(calendar: Calendar, workload: Workload, tables: Tables, random: Seeded) {
    const { options, executions } = workload;
    const { workers, queues, concurrency } = options;
    this.#calendar = calendar;
    this.#workload = workload;
    this.#tables = tables;
    this.#random = random;
    const ticks = (name: 'DynamoDB' | 'SQS') =>
      latency(
        random,
        figure(`${name} answers, median`) * TICKS_PER_MS,
        figure(`${name} answers, p99`) * TICKS_PER_MS,
      );
    this.#sqs = ticks('SQS');
    this.stage = new Uint8Array(executions);
    this.late = new Float32Array(executions).fill(Number.NaN);
    this.#worker = new Int32Array(executions);
    this.#tries = new Uint8Array(executions);
    this.#since = new Int32Array(executions);
    this.#free = new Int32Array(workers).fill(concurrency);
    this.#inHand = new Int32Array(workers);
    this.#waiting = Array.from({ length: workers }, () => []);
    this.#parked = Array.from({ length: workers }, () => []);
    this.#deletes = new Int32Array(workers * queues);
    this.#deletesSince = new Int32Array(workers * queues);
    this.#pollers = queues * POLLERS_PER_QUEUE;
    this.#go = calendar.kind((e) => this.#goOn(e));
    this.#again = calendar.kind((e) => this.#ask(e, true));
    this.#impatient = calendar.kind((e) => this.#loseHope(e));
    this.#flushDeletes = calendar.kind((inbox) => this.#deleteLate(inbox));
    this.#back = calendar.kind((e) => this.queues.handBack(e));
    this.calls = new Calls({
      calendar,
      workers,
      executions,
      groupCommit: options.groupCommit,
      cpuFactor: options.cpuFactor,
      latency: ticks('DynamoDB'),
      answered: this.#go,
    });
    this.queues = new Queues(calendar, workload, random, (poller, brought) => this.#bring(poller, brought));
    for (let poller = 0; poller < workers * this.#pollers; poller++) this.#poll(poller);
  }

  /** As many as this poller's share of the free places, and as fit into hand. */
  #poll(poller: number): void {
    const worker = Math.floor(poller / this.#pollers);
    const { concurrency, queues } = this.#workload.options;
    const room = Math.min(
      BATCH,
      Math.ceil((this.#free[worker] as number) / this.#pollers),
      concurrency * IN_HAND_PER_PLACE - (this.#inHand[worker] as number),
    );
    if (room < 1) {
      this.#parked[worker]?.push(poller);
      return;
    }
    const arrives = this.#calendar.now + this.#sqs() / 2;
    this.#calendar.call(arrives, () => this.queues.poll(poller, poller % queues, room));
  }

  #bring(poller: number, executions: readonly number[]): void {
    const worker = Math.floor(poller / this.#pollers);
    this.#calendar.call(this.#calendar.now + this.#sqs() / 2, () => {
      const parsed = this.calls.spend(worker, figure('CPU of a receive or a delete of ten'));
      this.#inHand[worker] = (this.#inHand[worker] as number) + executions.length;
      for (const e of executions) {
        this.#worker[e] = worker;
        this.stage[e] = IN_HAND;
        this.#calendar.at(Math.max(parsed, this.#workload.dueTick(e) - PREPARE_AHEAD), this.#go, e);
      }
      this.#poll(poller);
    });
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
        this.stage[e] = HELD;
        this.#tries[e] = 0;
        return this.#calendar.at(this.#workload.dueTick(e), this.#go, e);
      case HELD:
        return this.#admit(e);
      case TAKING:
        if (!this.#tables.write(this.#tables.jobs, job, now, again)) return this.#throttled(e);
        return this.#start(e);
      case RUNNING:
        this.#since[e] = now;
        return this.#next(e, FINISHING);
      case FINISHING:
        if (!this.#tables.insertRow(job, this.#workload.ownerOf(e), now, again)) return this.#throttled(e);
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

  #admit(e: number) {
    const worker = this.#worker[e] as number;
    if ((this.#free[worker] as number) > 0) {
      this.#free[worker] = (this.#free[worker] as number) - 1;
      return this.#take(e);
    }
    this.stage[e] = WAITING;
    this.#since[e] = this.#calendar.now;
    this.#waiting[worker]?.push(e);
    this.#calendar.at(this.#calendar.now + PATIENCE, this.#impatient, e);
  }

  #take(e: number): void {
    this.#since[e] = this.#calendar.now;
    this.#placeTicks -= this.#calendar.now;
    this.#next(e, TAKING);
  }

  /** No place within its patience: another worker should have it. */
  #loseHope(e: number): void {
    if (this.stage[e] !== WAITING || this.#calendar.now - (this.#since[e] as number) < PATIENCE) return;
    this.#toQueue(e, 0);
  }

  #fail(e: number): void {
    this.#leave(this.#worker[e] as number);
    this.#toQueue(e, HIDDEN_AFTER_FAILURE);
  }

  #toQueue(e: number, hidden: number): void {
    this.handedBack++;
    this.queues.requests++;
    this.stage[e] = QUEUED;
    this.#tries[e] = 0;
    this.#room(this.#worker[e] as number);
    this.#calendar.at(this.#calendar.now + hidden, this.#back, e);
  }

  #start(e: number): void {
    const { taskMs, taskCpuMs } = this.#workload.options;
    const { now } = this.#calendar;
    this.late[e] = (now - this.#workload.dueTick(e)) / TICKS_PER_MS;
    this.stage[e] = RUNNING;
    const computed = this.calls.spend(this.#worker[e] as number, taskCpuMs);
    this.#calendar.at(Math.max(now + taskMs * TICKS_PER_MS, computed), this.#go, e);
  }

  #end(e: number, stage: number): void {
    const worker = this.#worker[e] as number;
    this.stage[e] = stage;
    this.#leave(worker);
    const inbox = worker * this.#workload.options.queues + this.#workload.queueOf(e);
    const count = (this.#deletes[inbox] as number) + 1;
    this.#deletes[inbox] = count;
    if (count === 1) {
      this.#deletesSince[inbox] = this.#calendar.now;
      this.#calendar.at(this.#calendar.now + COALESCE_DELETES, this.#flushDeletes, inbox);
    }
    if (count === BATCH) this.#delete(inbox);
    this.#room(worker);
  }

  #deleteLate(inbox: number): void {
    const waited = this.#calendar.now - (this.#deletesSince[inbox] as number);
    if ((this.#deletes[inbox] as number) > 0 && waited >= COALESCE_DELETES) this.#delete(inbox);
  }

  #delete(inbox: number): void {
    const { queues } = this.#workload.options;
    this.calls.spend(Math.floor(inbox / queues), figure('CPU of a receive or a delete of ten'));
    this.queues.requests++;
    this.queues.deleted(inbox % queues, this.#deletes[inbox] as number);
    this.#deletes[inbox] = 0;
  }

  /** Who has waited longest gets the place. */
  #leave(worker: number) {
    this.#placeTicks += this.#calendar.now;
    const waiting = this.#waiting[worker] as number[];
    for (let e = waiting.shift(); e !== undefined; e = waiting.shift()) {
      if (this.stage[e] === WAITING && this.#worker[e] === worker) return this.#take(e);
    }
    this.#free[worker] = (this.#free[worker] as number) + 1;
  }

  #room(worker: number): void {
    this.#inHand[worker] = (this.#inHand[worker] as number) - 1;
    const parked = this.#parked[worker] as number[];
    if (parked.length === 0) return;
    this.#parked[worker] = [];
    for (const poller of parked) this.#poll(poller);
  }

  /** Places taken, on average over `ticks`. */
  meanPlaces(ticks: number): number {
    let open = 0;
    for (const stage of this.stage) if (stage >= TAKING && stage <= LOOKING) open++;
    return (this.#placeTicks + open * this.#calendar.now) / ticks;
  }

  /** Executions by where they are. */
  counts(): Record<(typeof STAGES)[number], number> {
    const counts = STAGES.map(() => 0);
    for (const stage of this.stage) counts[stage] = (counts[stage] as number) + 1;
    return Object.fromEntries(STAGES.map((name, i) => [name, counts[i] as number])) as Record<(typeof STAGES)[number], number>; // biome-ignore format: a cast
  }
}
