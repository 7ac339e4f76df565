// The workers: polls, messages in hand, run slots, and the stages of each execution (src/worker/worker.ts,
// src/scheduling/running/handle-message.ts).

import { SHORT_RUN_MS } from '../../src/scheduling/claiming/holds.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { SLOT_WAIT_MS } from '../../src/worker/run-slots.ts';
import { HELD_PER_SLOT } from '../../src/worker/worker.ts';
import type { Seeded } from '../../test/support/seeded.ts';
import { type Calendar, TICKS_PER_MS } from './calendar.ts';
import { Calls, FINISH, LIST_ROWS, READ_HEAD, READ_ROW, TAKE } from './calls.ts';
import { Deletes } from './deletes.ts';
import { figure } from './parameters.ts';
import { Polls } from './polls.ts';
import type { Queues } from './queues.ts';
import { latencyOf } from './random.ts';
import { RunSlots } from './run-slots.ts';
import type { Tables } from './tables.ts';
import type { Workload } from './workload.ts';

export const STAGES = ['queued', 'inHand', 'readingHead', 'readingRow', 'taking', 'held', 'waitingForSlot', 'running', 'finishing', 'lookingForNext', 'done', 'gaveUp'] as const; // biome-ignore format: a row
const [QUEUED, IN_HAND, HEAD, ROW, TAKING, HELD, WAITING, RUNNING, FINISHING, LOOKING, DONE, GAVE_UP] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const; // biome-ignore format: a row

/**
 * A worker reads head and row and claims the job this long before the fire time. The spread depends on the job
 * (src/scheduling/running/handle-message.ts).
 */
const PREPARE_AHEAD_MS = 150;
const PREPARE_SPREAD_MS = 250;
/** Early claims begin at multiples of this, so that one request serves many. */
const PREPARE_EVERY = 50 * TICKS_PER_MS;
const SLOT_WAIT = SLOT_WAIT_MS * TICKS_PER_MS;
/** The SDK tries a throttled request this often, with a backoff of random × 500 ms × 2ⁿ (src/runtime/aws-clients.ts). */
const TRIES = 4;
const THROTTLED_BACKOFF = 500 * TICKS_PER_MS;
/** A finish that was throttled in all tries is repeated until the lease may have ended. */
const GIVE_UP = DEFAULT_SETTINGS.leaseMs * TICKS_PER_MS;
const HIDDEN_AFTER_FAILURE = DEFAULT_SETTINGS.clockSkewMs * TICKS_PER_MS;

export class Workers {
  readonly stage: Uint8Array;
  /** Milliseconds from due time to start. NaN if the execution has not started. */
  readonly late: Float32Array;
  readonly calls: Calls;
  readonly queues: Queues;
  retries = 0;
  /** Messages that were returned to the queue, because no slot was free or the claim was throttled. */
  returned = 0;
  readonly #calendar: Calendar;
  readonly #workload: Workload;
  readonly #tables: Tables;
  readonly #random: Seeded;
  readonly #worker: Int32Array;
  readonly #tries: Uint8Array;
  readonly #since: Int32Array;
  /** Whether an execution has a reserved slot, and the number of reservations of each worker. */
  readonly #reserved: Uint8Array;
  readonly #reservations: Int32Array;
  readonly #slots: RunSlots;
  readonly #polls: Polls;
  readonly #deletes: Deletes;
  readonly #answered: number;
  readonly #retry: number;
  readonly #slotTimeout: number;
  readonly #visibleAgain: number;

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
    this.#reserved = new Uint8Array(executions);
    this.#reservations = new Int32Array(workers);
    this.#slots = new RunSlots(calendar, workers, concurrency);
    this.#answered = calendar.kind((e) => this.#advance(e));
    this.#retry = calendar.kind((e) => this.#call(e, true));
    this.#slotTimeout = calendar.kind((e) => this.#slotTimedOut(e));
    this.#visibleAgain = calendar.kind((e) => this.queues.returnToQueue(e));
    this.calls = new Calls({
      calendar,
      workers,
      executions,
      groupCommit: options.groupCommit,
      cpuFactor: options.cpuFactor,
      latency: latencyOf(random, 'DynamoDB'),
      answered: this.#answered,
    });
    this.#polls = new Polls({
      calendar,
      workload,
      random,
      slots: this.#slots,
      receive: (worker, received) => this.#receive(worker, received),
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
      this.#calendar.at(Math.max(parsed, ahead - (ahead % PREPARE_EVERY)), this.#answered, e);
    }
  }

  #advance(e: number) {
    const { now } = this.#calendar;
    const job = this.#workload.jobOf(e);
    const isRetry = (this.#tries[e] as number) > 0;
    switch (this.stage[e]) {
      case IN_HAND:
        return this.#next(e, HEAD);
      case HEAD:
        if (!this.#tables.jobsReads.take(job, 0.5, now, isRetry)) return this.#throttled(e);
        return this.#next(e, ROW);
      case ROW:
        if (!this.#tables.executionsReads.take(job, 0.5, now, isRetry)) return this.#throttled(e);
        return this.#reserve(e) ? this.#next(e, TAKING) : this.#hold(e);
      case TAKING:
        if (!this.#tables.write(this.#tables.jobs, job, now, isRetry)) return this.#throttled(e);
        return this.#reserved[e] ? this.#hold(e) : this.#start(e);
      case HELD:
        return this.#admit(e);
      case RUNNING:
        // the message stays in hand until the finish is written, and its slot is free
        this.#since[e] = now;
        this.#next(e, FINISHING);
        return this.#releaseSlot(this.#worker[e] as number);
      case FINISHING:
        if (!this.#tables.insertRow(job, this.#workload.ownerOf(e), now, isRetry)) return this.#throttled(e);
        if (this.#workload.options.taskMs < SHORT_RUN_MS) return this.#end(e, DONE);
        return this.#next(e, LOOKING);
      case LOOKING:
        if (!this.#tables.executionsReads.take(job, 0.5, now, isRetry)) return this.#throttled(e);
        return this.#end(e, DONE);
    }
  }

  #next(e: number, stage: number): void {
    this.stage[e] = stage;
    this.#tries[e] = 0;
    this.#call(e, false);
  }

  #call(e: number, alone: boolean): void {
    const stage = this.stage[e];
    const call =
      stage === HEAD ? READ_HEAD : stage === ROW ? READ_ROW : stage === TAKING ? TAKE : stage === FINISHING ? FINISH : LIST_ROWS; // biome-ignore format: a choice
    this.calls.call(this.#worker[e] as number, call, e, alone);
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
    this.#calendar.at(this.#calendar.now + backoff, this.#retry, e);
  }

  /** Reserves a slot, so that the job can be claimed early. False if none will be free (src/worker/run-slots.ts). */
  #reserve(e: number): boolean {
    const worker = this.#worker[e] as number;
    const { concurrency, taskMs } = this.#workload.options;
    const each = Math.min(HELD_PER_SLOT, Math.max(1, (2 * SLOT_WAIT_MS) / taskMs));
    const reserved = this.#reservations[worker] as number;
    if (reserved >= concurrency * (each - 1) + this.#slots.free(worker)) return false;
    this.#reservations[worker] = reserved + 1;
    this.#reserved[e] = 1;
    return true;
  }

  #unreserve(e: number): void {
    const worker = this.#worker[e] as number;
    if (this.#reserved[e]) this.#reservations[worker] = (this.#reservations[worker] as number) - 1;
    this.#reserved[e] = 0;
  }

  #hold(e: number): void {
    this.stage[e] = HELD;
    this.#tries[e] = 0;
    this.#calendar.at(Math.max(this.#calendar.now, this.#workload.dueTick(e)), this.#answered, e);
  }

  /** The execution has a slot. It starts if its job is claimed already. */
  #begin(e: number) {
    if (!this.#reserved[e]) return this.#next(e, TAKING);
    this.#unreserve(e);
    return this.#start(e);
  }

  #admit(e: number) {
    if (this.#slots.acquire(this.#worker[e] as number)) return this.#begin(e);
    this.stage[e] = WAITING;
    this.#since[e] = this.#calendar.now;
    this.#slots.wait(this.#worker[e] as number, e);
    this.#calendar.at(this.#calendar.now + SLOT_WAIT, this.#slotTimeout, e);
  }

  /** No slot was free within SLOT_WAIT. The message returns to the queue, for another worker. */
  #slotTimedOut(e: number): void {
    if (this.stage[e] !== WAITING || this.#calendar.now - (this.#since[e] as number) < SLOT_WAIT) return;
    this.#returnMessage(e, 0);
  }

  #fail(e: number): void {
    if (!this.#reserved[e]) this.#releaseSlot(this.#worker[e] as number);
    this.#returnMessage(e, HIDDEN_AFTER_FAILURE);
  }

  #returnMessage(e: number, hidden: number): void {
    this.#unreserve(e);
    this.returned++;
    this.queues.requests++;
    this.stage[e] = QUEUED;
    this.#tries[e] = 0;
    this.#polls.release(this.#worker[e] as number);
    this.#calendar.at(this.#calendar.now + hidden, this.#visibleAgain, e);
  }

  #start(e: number): void {
    const { taskMs, taskCpuMs } = this.#workload.options;
    const { now } = this.#calendar;
    this.late[e] = (now - this.#workload.dueTick(e)) / TICKS_PER_MS;
    this.stage[e] = RUNNING;
    const own = figure('CPU of an execution beside its calls');
    const computed = this.calls.spend(this.#worker[e] as number, own + taskCpuMs);
    this.#calendar.at(Math.max(now + taskMs * TICKS_PER_MS, computed), this.#answered, e);
  }

  #end(e: number, stage: number): void {
    const worker = this.#worker[e] as number;
    this.stage[e] = stage;
    this.#deletes.add(worker, this.#workload.queueOf(e));
    this.#polls.release(worker);
  }

  #releaseSlot(worker: number) {
    const e = this.#slots.release(
      worker,
      (one) => this.stage[one] === WAITING && this.#worker[one] === worker,
    );
    if (e !== undefined) this.#begin(e);
  }

  /** The mean number of used slots over `ticks`. */
  meanUsedSlots(ticks: number): number {
    return this.#slots.usedTicks(this.#calendar.now) / ticks;
  }

  /** The number of executions by stage. */
  counts(): Record<(typeof STAGES)[number], number> {
    const counts = STAGES.map(() => 0);
    for (const stage of this.stage) counts[stage] = (counts[stage] as number) + 1;
    return Object.fromEntries(STAGES.map((name, i) => [name, counts[i] as number])) as Record<(typeof STAGES)[number], number>; // biome-ignore format: a cast
  }
}
