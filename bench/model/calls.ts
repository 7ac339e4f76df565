// The CPU of the workers. It makes one request after the other, for single calls or for batches of them
// (src/concurrency/batcher.ts).
import { type Calendar, TICKS_PER_MS } from './calendar.ts';
import { figure } from './parameters.ts';

/** The DynamoDB calls of an execution. Each kind is batched separately, and a query is never batched. */
export const CALLS = ['readHead', 'readRow', 'open', 'lock', 'finish', 'query'] as const;
export const [READ_HEAD, READ_ROW, OPEN, LOCK, FINISH, QUERY] = [0, 1, 2, 3, 4, 5] as const;
const LANES = 5;
const MAX_BATCH = [100, 100, 25, 25, 25];
/** The maximum number of concurrent requests of one lane (src/store/dynamodb/group-commit.ts). */
const MAX_IN_FLIGHT = 2;

export interface CallsOptions {
  readonly calendar: Calendar;
  readonly workers: number;
  readonly executions: number;
  readonly groupCommit: boolean;
  readonly cpuFactor: number;
  /** The ticks until DynamoDB has answered. */
  latency(): number;
  /** The kind of event for an answer. */
  readonly answered: number;
}

export class Calls {
  /** CPU milliseconds of each worker. */
  readonly busyMs: Float64Array;
  requests = 0;
  /** The number of calls in these requests. */
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

  /** The tick at which the worker has spent this much CPU, after all earlier work. */
  spend(worker: number, ms: number): number {
    const { calendar, cpuFactor } = this.#options;
    const took = ms * cpuFactor;
    this.busyMs[worker] = (this.busyMs[worker] as number) + took;
    const done = Math.max(calendar.now, this.#freeAt[worker] as number) + took * TICKS_PER_MS;
    this.#freeAt[worker] = done;
    return done;
  }

  /** With `alone` the call is not batched, which is how a throttled call of a batch is repeated. */
  call(worker: number, call: number, execution: number, alone: boolean) {
    if (alone || call === QUERY || !this.#options.groupCommit) return this.#callAlone(worker, execution);
    const lane = worker * LANES + call;
    this.#next[execution] = -1;
    if (this.#first[lane] === -1) this.#first[lane] = execution;
    else this.#next[this.#last[lane] as number] = execution;
    this.#last[lane] = execution;
    this.#flushSoon(lane);
  }

  #callAlone(worker: number, execution: number): void {
    const { calendar, latency, answered } = this.#options;
    this.requests++;
    this.carried++;
    calendar.at(this.spend(worker, figure('CPU of one call')) + latency(), answered, execution);
  }

  /** Sends at the end of the event loop's turn, when the CPU has done its earlier work. */
  #flushSoon(lane: number): void {
    if (this.#flushes[lane] || (this.#underWay[lane] as number) >= MAX_IN_FLIGHT) return;
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
    while (this.#first[lane] !== -1 && (this.#underWay[lane] as number) < MAX_IN_FLIGHT) {
      const first = this.#first[lane] as number;
      let count = 1;
      let last = first;
      while (count < (MAX_BATCH[call] as number) && this.#next[last] !== -1) {
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
