// The CPU of the workers: one call after the other, alone or in groups as src/concurrency/batcher.ts makes them.
import { type Calendar, TICKS_PER_MS } from './calendar.ts';
import { figure } from './parameters.ts';

/** What an execution asks of DynamoDB. Each has groups of its own; a query goes alone. */
export const CALLS = ['readHead', 'readRow', 'take', 'finish', 'listRows'] as const;
export const [READ_HEAD, READ_ROW, TAKE, FINISH, LIST_ROWS] = [0, 1, 2, 3, 4] as const;
const LANES = 4;
const MAX_IN_GROUP = [100, 100, 25, 25];
/** Requests of one lane under way (src/store/dynamodb/group-commit.ts). */
const AT_ONCE = 2;

export interface CallsOptions {
  readonly calendar: Calendar;
  readonly workers: number;
  readonly executions: number;
  readonly groupCommit: boolean;
  readonly cpuFactor: number;
  /** Ticks until DynamoDB has answered. */
  latency(): number;
  /** When the answer is there. */
  readonly answered: number;
}

export class Calls {
  /** CPU milliseconds of each worker. */
  readonly busyMs: Float64Array;
  requests = 0;
  /** Calls that these requests carried. */
  carried = 0;
  readonly #options: CallsOptions;
  readonly #freeAt: Float64Array;
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  readonly #next: Int32Array;
  readonly #underWay: Uint8Array;
  readonly #flushes: Uint8Array;
  readonly #flush: number;
  readonly #over: number;

  constructor(options: CallsOptions) {
    const { workers, executions, calendar } = options;
    this.#options = options;
    this.busyMs = new Float64Array(workers);
    this.#freeAt = new Float64Array(workers);
    this.#first = new Int32Array(workers * LANES).fill(-1);
    this.#last = new Int32Array(workers * LANES).fill(-1);
    this.#next = new Int32Array(executions);
    this.#underWay = new Uint8Array(workers * LANES);
    this.#flushes = new Uint8Array(workers * LANES);
    this.#flush = calendar.kind((lane) => this.#send(lane));
    this.#over = calendar.kind((lane) => {
      this.#underWay[lane] = (this.#underWay[lane] as number) - 1;
      if (this.#first[lane] !== -1) this.#flushSoon(lane);
    });
  }

  /** When the worker has spent that much CPU, after all that it has to do before. */
  spend(worker: number, ms: number): number {
    const { calendar, cpuFactor } = this.#options;
    const took = ms * cpuFactor;
    this.busyMs[worker] = (this.busyMs[worker] as number) + took;
    const done = Math.max(calendar.now, this.#freeAt[worker] as number) + took * TICKS_PER_MS;
    this.#freeAt[worker] = done;
    return done;
  }

  /** `alone`: what a group could not do is repeated by itself. */
  ask(worker: number, call: number, execution: number, alone: boolean) {
    if (alone || call === LIST_ROWS || !this.#options.groupCommit) return this.#askAlone(worker, execution);
    const lane = worker * LANES + call;
    this.#next[execution] = -1;
    if (this.#first[lane] === -1) this.#first[lane] = execution;
    else this.#next[this.#last[lane] as number] = execution;
    this.#last[lane] = execution;
    this.#flushSoon(lane);
  }

  #askAlone(worker: number, execution: number): void {
    const { calendar, latency, answered } = this.#options;
    this.requests++;
    this.carried++;
    calendar.at(this.spend(worker, figure('CPU of one call')) + latency(), answered, execution);
  }

  /** At the end of the event loop's turn: when what the CPU has to do already is done. */
  #flushSoon(lane: number): void {
    if (this.#flushes[lane] || (this.#underWay[lane] as number) >= AT_ONCE) return;
    this.#flushes[lane] = 1;
    const { calendar } = this.#options;
    calendar.at(Math.max(calendar.now, this.#freeAt[Math.floor(lane / LANES)] as number), this.#flush, lane);
  }

  #send(lane: number): void {
    const { calendar, latency, answered } = this.#options;
    this.#flushes[lane] = 0;
    const worker = Math.floor(lane / LANES);
    const call = lane % LANES;
    const each =
      call <= READ_ROW
        ? figure('CPU of one item more in a batch of reads')
        : figure('CPU of one statement more in a batch');
    while (this.#first[lane] !== -1 && (this.#underWay[lane] as number) < AT_ONCE) {
      const first = this.#first[lane] as number;
      let count = 1;
      let last = first;
      while (count < (MAX_IN_GROUP[call] as number) && this.#next[last] !== -1) {
        last = this.#next[last] as number;
        count++;
      }
      this.#first[lane] = this.#next[last] as number;
      this.#next[last] = -1;
      this.#underWay[lane] = (this.#underWay[lane] as number) + 1;
      this.requests++;
      this.carried += count;
      const at = this.spend(worker, figure('CPU of one call') + (count - 1) * each) + latency();
      for (let one = first; one !== -1; one = this.#next[one] as number) calendar.at(at, answered, one);
      calendar.at(at, this.#over, lane);
    }
  }
}
