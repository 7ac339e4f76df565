// The watchers. Each one makes a pass over its shards every minute, as src/scheduling/planning/watch-shards.ts does, with
// eight shards at a time. In a shard it reads a slot and its heads, writes the successors, sends the messages and settles
// an old slot. At the end of the pass it counts the executions of the coming minutes.
import { BATCH } from '../../src/queue/sqs/send-batch.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { shardRanges, shardsOf } from '../../src/watcher/shard-ranges.ts';
import type { Seeded } from '../../test/support/seeded.ts';
import { type Calendar, TICKS_PER_MS, TICKS_PER_SECOND } from './calendar.ts';
import { figure } from './parameters.ts';
import { inParallel, LambdaCpu, type Then } from './passes.ts';
import { latencyOf, mix } from './random.ts';
import type { Tables } from './tables.ts';
import type { Workload } from './workload.ts';

export const CONCURRENT_SHARDS = 8;
/** Concurrent requests for one slot (src/store/dynamodb/retry-unprocessed.ts, src/queue/sqs/sender.ts). */
const MAX_IN_FLIGHT = 8;
const PAGE = 7_000;
const WRITES = 25;
const READS = 100;
const FIRST_BACKOFF = 25 * TICKS_PER_MS;
const MAX_BACKOFF = 2_000 * TICKS_PER_MS;
const MINUTE = 60 * TICKS_PER_SECOND;
/** The watcher's timeout of two minutes, minus the time to stop (lib/compute/watcher.ts, src/watcher/lambda.ts). */
const MAX_PASS = 105 * TICKS_PER_SECOND;
export const FORECAST_MINUTES = DEFAULT_SETTINGS.lookAheadMs / 60_000 + 1;
/** The shares of an entry's CPU by step: its head, its successor, its message (docs/facts.md#cpu-per-item). */
const SHARES = { heads: 27 / 179, entries: 52 / 179, messages: 100 / 179 };

export interface PassTimes {
  /** The duration of each pass that has ended, in seconds. */
  readonly passes: number[];
  unfinished: number;
}

export class Watchers {
  readonly times: PassTimes = { passes: [], unfinished: 0 };
  /** CPU milliseconds of a whole vCPU. */
  busyMs = 0;
  retries = 0;
  readonly #calendar: Calendar;
  readonly #workload: Workload;
  readonly #tables: Tables;
  readonly #random: Seeded;
  readonly #dynamodb: () => number;
  readonly #sqs: () => number;
  /** The entries of one slot, by shard. */
  readonly #entries: Int32Array;
  readonly #busy: Uint8Array;

  constructor(calendar: Calendar, workload: Workload, tables: Tables, random: Seeded) {
    const { shards, watchers, duration } = workload.options;
    this.#calendar = calendar;
    this.#workload = workload;
    this.#tables = tables;
    this.#random = random;
    this.#dynamodb = latencyOf(random, 'DynamoDB');
    this.#sqs = latencyOf(random, 'SQS');
    this.#entries = entriesOf(workload);
    this.#busy = new Uint8Array(shards);
    for (const range of shardRanges(shards, watchers)) {
      // EventBridge invokes a rule anywhere within the minute.
      const offset = random.float() * MINUTE;
      for (let at = 0; at < duration * TICKS_PER_SECOND; at += MINUTE)
        calendar.call(at + offset, () => this.#pass(shardsOf(range)));
    }
  }

  #pass(shards: readonly number[]): void {
    const began = this.#calendar.now;
    const minute = Math.floor(began / MINUTE);
    const cpu = new LambdaCpu(this.#calendar, this.#workload.options.watcherMb / figure('a vCPU of Lambda'));
    this.times.unfinished++;
    const waiting = shards.filter((shard) => !this.#busy[shard]);
    const oneShard = (then: Then) => {
      const shard = waiting.shift();
      if (shard === undefined || this.#calendar.now - began > MAX_PASS) return then();
      this.#busy[shard] = 1;
      this.#watch(cpu, shard, minute, () => {
        this.#busy[shard] = 0;
        oneShard(then);
      });
    };
    const counted = shards.flatMap((shard) =>
      Array.from({ length: FORECAST_MINUTES }, (_, ahead) => ({ shard, ahead })),
    );
    const oneCount = (then: Then) => {
      const slot = counted.shift();
      if (!slot || this.#calendar.now - began > MAX_PASS) return then();
      this.#readSlot(cpu, slot.shard, minute + slot.ahead, () => oneCount(then));
    };
    const over = () => {
      this.times.unfinished--;
      this.times.passes.push((this.#calendar.now - began) / TICKS_PER_SECOND);
      this.busyMs += cpu.busyMs;
    };
    inParallel(CONCURRENT_SHARDS, oneShard, () => inParallel(CONCURRENT_SHARDS, oneCount, over));
  }

  #watch(cpu: LambdaCpu, shard: number, minute: number, then: Then): void {
    const { every, cpuFactor } = this.#workload.options;
    const entries = this.#entries[shard] as number;
    const heads = Math.ceil(entries * Math.min(1, every / 60));
    const dispatch = (figure('CPU of an entry, dispatch') - figure('CPU of an entry, forecast')) * cpuFactor;
    const settle = (figure('CPU of an entry, settle') - figure('CPU of an entry, forecast')) * cpuFactor;
    const ahead = minute + FORECAST_MINUTES;
    const successors = ahead + Math.max(1, Math.floor(every / 60));
    const { jobsReads, executionsReads } = this.#tables;
    const perHead = (dispatch * SHARES.heads * entries) / Math.max(1, heads);
    const settled = () => this.#batches(cpu, entries, READS, settle, (n, done) => this.#get(executionsReads, n, done), then); // biome-ignore format: a step
    const sent = () => this.#readSlot(cpu, shard, minute - 3, settled);
    const written = () => this.#batches(cpu, entries, BATCH, dispatch * SHARES.messages, (_, done) => this.#calendar.call(this.#calendar.now + this.#sqs(), done), sent); // biome-ignore format: a step
    const known = () => this.#batches(cpu, entries, WRITES, dispatch * SHARES.entries, (n, done) => this.#put(slotOf(successors, shard), n, done), written); // biome-ignore format: a step
    const read = () => this.#batches(cpu, heads, READS, perHead, (n, done) => this.#get(jobsReads, n, done), known); // biome-ignore format: a step
    this.#readSlot(cpu, shard, ahead, read);
  }

  /** Sends `count` items in requests of `size`, MAX_IN_FLIGHT at a time. An item costs `ms` of CPU. */
  #batches(cpu: LambdaCpu, count: number, size: number, ms: number, send: (n: number, done: Then) => void, then: Then): void {
    let left = count;
    const lane = (over: Then) => {
      if (left <= 0) return over();
      const n = Math.min(size, left);
      left -= n;
      this.#calendar.call(cpu.spend(n * ms), () => send(n, () => lane(over)));
    };
    inParallel(MAX_IN_FLIGHT, lane, then);
  } // biome-ignore format: parameters

  /** Reads a slot page by page. */
  #readSlot(cpu: LambdaCpu, shard: number, minute: number, then: Then): void {
    let left = this.#entries[shard] as number;
    const ms = figure('CPU of an entry, forecast') * this.#workload.options.cpuFactor;
    const page = (): void => {
      const n = Math.min(PAGE, left);
      left -= n;
      const units = Math.max(1, n * figure('read units of an entry in its slot'));
      this.#tables.timetableReads.take(slotOf(minute, shard), units, this.#calendar.now);
      const answered = this.#calendar.now + this.#dynamodb();
      this.#calendar.call(answered, () => this.#calendar.call(cpu.spend(n * ms), left > 0 ? page : then));
    };
    page();
  }

  /** Heads and rows are keyed by job, so any partition may have them. */
  #get(table: Tables['jobsReads'], count: number, done: Then): void {
    for (let i = 0; i < count; i++) table.take(this.#random.bits(), 0.5, this.#calendar.now);
    this.#calendar.call(this.#calendar.now + this.#dynamodb(), done);
  }

  /** Throttled entries are written again, with exponential backoff. */
  #put(slot: number, count: number, done: Then, round = 0) {
    let left = 0;
    for (let i = 0; i < count; i++)
      if (!this.#tables.write(this.#tables.timetable, slot, this.#calendar.now, round > 0)) left++;
    const answered = this.#calendar.now + this.#dynamodb();
    if (left === 0) return this.#calendar.call(answered, done);
    this.retries++;
    const backoff = Math.min(FIRST_BACKOFF * 2 ** round, MAX_BACKOFF) * (0.5 + this.#random.float() / 2);
    this.#calendar.call(answered + backoff, () => this.#put(slot, left, done, round + 1));
  }
}

const slotOf = (minute: number, shard: number): number => mix(minute, shard + 1);

/** The entries of a minute by shard, one per execution. */
function entriesOf(workload: Workload): Int32Array {
  const { rate, every, shards } = workload.options;
  const executions = Math.max(1, Math.round(rate * Math.min(60, every)));
  const counts = new Float64Array(shards);
  const each = (rate * 60) / executions;
  for (let e = 0; e < executions; e++)
    counts[workload.shardOf(e)] = (counts[workload.shardOf(e)] as number) + each;
  return Int32Array.from(counts, Math.round);
}
