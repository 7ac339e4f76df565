// The workers: polls, messages in hand, places, and the stages of each execution (src/worker/worker.ts,
// src/scheduling/running/handle-message.ts, src/scheduling/claiming/claim.ts).

import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { PLACE_WAIT_MS } from '../../src/worker/places.ts';
import type { Seeded } from '../../test/support/seeded.ts';
import { type Calendar, TICKS_PER_MS } from './calendar.ts';
import { Calls, FINISH, LOCK, OPEN, QUERY, READ_HEAD, READ_ROW } from './calls.ts';
import { Deletes } from './deletes.ts';
import { figure } from './parameters.ts';
import { Places } from './places.ts';
import { Polls } from './polls.ts';
import type { Queues } from './queues.ts';
import { latencyOf } from './random.ts';
import type { Tables } from './tables.ts';
import type { Workload } from './workload.ts';

export const STAGES = ['queued', 'inHand', 'waitingForPlace', 'readingRow', 'readingHead', 'readingLock', 'opening', 'locking', 'givingBack', 'running', 'finishing', 'lookingForNext', 'done', 'gaveUp'] as const; // biome-ignore format: a row
const [QUEUED, IN_HAND, WAITING, ROW, HEAD, LOCK_ROW, OPENING, LOCKING, GIVING_BACK, RUNNING, FINISHING, LOOKING, DONE, GAVE_UP] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] as const; // biome-ignore format: a row

/** The call of each stage that makes one. */
const CALL_OF: Partial<Record<number, number>> = {
  [ROW]: READ_ROW,
  [HEAD]: READ_HEAD,
  [LOCK_ROW]: READ_ROW,
  [OPENING]: OPEN,
  [LOCKING]: LOCK,
  [GIVING_BACK]: FINISH,
  [FINISHING]: FINISH,
  [LOOKING]: QUERY,
};

/** After a longer run the worker looks for the next execution in line (src/scheduling/running/after-execution.ts). */
export const SHORT_RUN_MS = 1_000;
const PLACE_WAIT = PLACE_WAIT_MS * TICKS_PER_MS;
/** A claim that takes longer is given back. */
const START_WINDOW = DEFAULT_SETTINGS.startWindowMs * TICKS_PER_MS;
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
  /** Messages that were returned to the queue, because no place was free, or the claim was throttled or late. */
  returned = 0;
  /** Rows that were opened, and those that were opened once more after their claim was given back. */
  opened = 0;
  reopened = 0;
  readonly #calendar: Calendar;
  readonly #workload: Workload;
  readonly #tables: Tables;
  readonly #random: Seeded;
  readonly #worker: Int32Array;
  readonly #tries: Uint8Array;
  readonly #since: Int32Array;
  /** Whether an execution has a row. */
  readonly #hasRow: Uint8Array;
  readonly #places: Places;
  readonly #polls: Polls;
  readonly #deletes: Deletes;
  readonly #answered: number;
  readonly #retry: number;
  readonly #placeTimeout: number;
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
    this.#hasRow = new Uint8Array(executions);
    this.#places = new Places(calendar, workers, concurrency);
    this.#answered = calendar.kind((e) => this.#advance(e));
    this.#retry = calendar.kind((e) => this.#call(e, true));
    this.#placeTimeout = calendar.kind((e) => this.#placeTimedOut(e));
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
      places: this.#places,
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
      this.#calendar.at(Math.max(parsed, this.#workload.dueTick(e)), this.#answered, e);
    }
  }

  #advance(e: number) {
    const { now } = this.#calendar;
    const job = this.#workload.jobOf(e);
    const isRetry = (this.#tries[e] as number) > 0;
    switch (this.stage[e]) {
      case IN_HAND:
        return this.#admit(e);
      case ROW:
        if (!this.#tables.executionsReads.take(job, 0.5, now, isRetry)) return this.#throttled(e);
        return this.#next(e, HEAD);
      case HEAD:
        if (!this.#tables.jobsReads.take(job, 0.5, now, isRetry)) return this.#throttled(e);
        return this.#next(e, LOCK_ROW);
      case LOCK_ROW:
        if (!this.#tables.executionsReads.take(job, 0.5, now, isRetry)) return this.#throttled(e);
        return this.#next(e, OPENING);
      case OPENING:
        return this.#open(e, isRetry) ? this.#next(e, LOCKING) : this.#throttled(e);
      case LOCKING:
        if (!this.#tables.write(this.#tables.jobs, job, now, isRetry)) return this.#throttled(e);
        return now - (this.#since[e] as number) > START_WINDOW ? this.#next(e, GIVING_BACK) : this.#start(e);
      case GIVING_BACK:
        if (!this.#tables.write(this.#tables.executions, job, now, isRetry)) return this.#throttled(e);
        return this.#fail(e, 0);
      case RUNNING:
        // the message stays in hand until the finish is written, and its place is free
        this.#since[e] = now;
        this.#next(e, FINISHING);
        return this.#releasePlace(this.#worker[e] as number);
      case FINISHING:
        if (!this.#tables.write(this.#tables.executions, job, now, isRetry)) return this.#throttled(e);
        if (this.#workload.options.taskMs < SHORT_RUN_MS) return this.#end(e, DONE);
        return this.#next(e, LOOKING);
      case LOOKING:
        if (!this.#tables.jobsReads.take(job, 1, now, isRetry)) return this.#throttled(e);
        return this.#end(e, DONE);
    }
  }

  /** A new row has an entry in its index. */
  #open(e: number, isRetry: boolean): boolean {
    const { now } = this.#calendar;
    const job = this.#workload.jobOf(e);
    const hadRow = this.#hasRow[e] === 1;
    const isOpen = hadRow
      ? this.#tables.write(this.#tables.executions, job, now, isRetry)
      : this.#tables.insertRow(job, this.#workload.ownerOf(e), now, isRetry);
    if (!isOpen) return false;
    this.#hasRow[e] = 1;
    if (hadRow) this.reopened++;
    else this.opened++;
    return true;
  }

  #next(e: number, stage: number): void {
    this.stage[e] = stage;
    this.#tries[e] = 0;
    this.#call(e, false);
  }

  #call(e: number, alone: boolean): void {
    this.calls.call(this.#worker[e] as number, CALL_OF[this.stage[e] as number] ?? QUERY, e, alone);
  }

  #throttled(e: number) {
    const tries = (this.#tries[e] as number) + 1;
    this.#tries[e] = Math.min(tries, 200);
    const round = (tries - 1) % TRIES;
    if (tries % TRIES === 0 && this.stage[e] === OPENING) return this.#fail(e, HIDDEN_AFTER_FAILURE);
    if (tries % TRIES === 0 && this.stage[e] === LOCKING) return this.#next(e, GIVING_BACK);
    if (tries % TRIES === 0 && this.stage[e] === FINISHING) {
      if (this.#calendar.now - (this.#since[e] as number) > GIVE_UP) return this.#end(e, GAVE_UP);
    }
    this.retries++;
    const backoff = this.#random.float() * THROTTLED_BACKOFF * 2 ** round;
    this.#calendar.at(this.#calendar.now + backoff, this.#retry, e);
  }

  /** The execution has a place, and its claim begins. */
  #begin(e: number): void {
    this.#since[e] = this.#calendar.now;
    this.#next(e, ROW);
  }

  #admit(e: number) {
    if (this.#places.acquire(this.#worker[e] as number)) return this.#begin(e);
    this.stage[e] = WAITING;
    this.#since[e] = this.#calendar.now;
    this.#places.wait(this.#worker[e] as number, e);
    this.#calendar.at(this.#calendar.now + PLACE_WAIT, this.#placeTimeout, e);
  }

  /** No place was free within PLACE_WAIT. The message returns to the queue, for another worker. */
  #placeTimedOut(e: number): void {
    if (this.stage[e] !== WAITING || this.#calendar.now - (this.#since[e] as number) < PLACE_WAIT) return;
    this.#returnMessage(e, 0);
  }

  #fail(e: number, hidden: number): void {
    this.#releasePlace(this.#worker[e] as number);
    this.#returnMessage(e, hidden);
  }

  #returnMessage(e: number, hidden: number): void {
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

  #releasePlace(worker: number) {
    const e = this.#places.release(
      worker,
      (one) => this.stage[one] === WAITING && this.#worker[one] === worker,
    );
    if (e !== undefined) this.#begin(e);
  }

  /** The mean number of used places over `ticks`. */
  meanUsedPlaces(ticks: number): number {
    return this.#places.usedTicks(this.#calendar.now) / ticks;
  }

  /** The number of executions by stage. */
  counts(): Record<(typeof STAGES)[number], number> {
    const counts = STAGES.map(() => 0);
    for (const stage of this.stage) counts[stage] = (counts[stage] as number) + 1;
    return Object.fromEntries(STAGES.map((name, i) => [name, counts[i] as number])) as Record<(typeof STAGES)[number], number>; // biome-ignore format: a cast
  }
}
