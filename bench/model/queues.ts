// SQS. Messages become visible in the batches in which they were sent, wait for a long poll, and are in flight until they
// are deleted.
import { BATCH } from '../../src/queue/sqs/send-batch.ts';
import type { Seeded } from '../../test/support/seeded.ts';
import { type Calendar, TICKS_PER_MS, TICKS_PER_SECOND } from './calendar.ts';
import { figure } from './parameters.ts';
import { LEAD_SECONDS, type Workload } from './workload.ts';

const LONG_POLL_TICKS = 20 * TICKS_PER_SECOND;
/** A message becomes visible one to two seconds before its fire time (src/queue/sqs/sender.ts). */
const EARLY_TICKS = TICKS_PER_SECOND;

/** Receives the result of a poll. */
export type Deliver = (poller: number, executions: readonly number[]) => void;

interface WaitingPoll {
  readonly poller: number;
  readonly since: number;
  readonly maxMessages: number;
}

export class Queues {
  requests = 0;
  /** The maximum number of messages in flight of any queue. */
  maxInFlight = 0;
  readonly #calendar: Calendar;
  readonly #workload: Workload;
  readonly #random: Seeded;
  readonly #inFlight: Int32Array;
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  readonly #next: Int32Array;
  /** The waiting polls of each queue. */
  readonly #waiting: WaitingPoll[][];
  readonly #members: Int32Array;
  readonly #groups: number[] = [];
  readonly #visible: number;
  readonly #deliver: Deliver;

  constructor(calendar: Calendar, workload: Workload, random: Seeded, deliver: Deliver) {
    const { queues } = workload.options;
    this.#calendar = calendar;
    this.#workload = workload;
    this.#random = random;
    this.#deliver = deliver;
    this.#inFlight = new Int32Array(queues);
    this.#first = new Int32Array(queues).fill(-1);
    this.#last = new Int32Array(queues).fill(-1);
    this.#next = new Int32Array(workload.executions);
    this.#waiting = Array.from({ length: queues }, () => []);
    this.#members = new Int32Array(workload.executions);
    this.#visible = calendar.kind((group) => this.#show(group));
    for (let second = 0; second < workload.options.duration; second++) {
      const before = (LEAD_SECONDS + second - 3) * TICKS_PER_SECOND;
      calendar.call(before, () => this.#plan(second));
    }
  }

  /** Ten messages of one shard and queue were sent in one request, so they become visible together. */
  #plan(second: number): void {
    const workload = this.#workload;
    const { queues } = workload.options;
    const [from, to] = workload.inSecond(second);
    const key = (e: number) => workload.shardOf(e) * queues + workload.queueOf(e);
    const sorted = sortedBy(from, Math.min(to, workload.executions), key);
    this.#members.set(sorted, from);
    for (let start = 0; start < sorted.length; ) {
      const first = sorted[start] as number;
      let end = start + 1;
      while (end < sorted.length && end - start < BATCH && key(sorted[end] as number) === key(first)) end++;
      const late = -Math.log(1 - this.#random.float()) * figure('SQS delivery delay, mean') * TICKS_PER_MS;
      const at = workload.dueTick(first) - EARLY_TICKS - this.#random.float() * TICKS_PER_SECOND + late;
      this.#groups.push(from + start, end - start);
      this.#calendar.at(at, this.#visible, this.#groups.length / 2 - 1);
      start = end;
    }
  }

  #show(group: number): void {
    const [from, count] = [this.#groups[group * 2] as number, this.#groups[group * 2 + 1] as number];
    for (let i = from; i < from + count; i++) this.#append(this.#members[i] as number);
    this.#serve(this.#workload.queueOf(this.#members[from] as number));
  }

  #append(execution: number): void {
    const queue = this.#workload.queueOf(execution);
    this.#next[execution] = -1;
    if (this.#first[queue] === -1) this.#first[queue] = execution;
    else this.#next[this.#last[queue] as number] = execution;
    this.#last[queue] = execution;
  }

  /** A poll is answered at once, or as soon as a message is visible. */
  poll(poller: number, queue: number, maxMessages: number): void {
    this.#waiting[queue]?.push({ poller, since: this.#calendar.now, maxMessages });
    this.#serve(queue);
  }

  #serve(queue: number): void {
    const waiting = this.#waiting[queue] as WaitingPoll[];
    while (waiting.length > 0 && this.#first[queue] !== -1) {
      // A queue at its limit of messages in flight returns nothing (docs/facts.md#aws-limits).
      const room = figure('a queue, in flight') - (this.#inFlight[queue] as number);
      if (room <= 0) return;
      const picked = this.#random.bits() % waiting.length;
      const { poller, since, maxMessages } = waiting[picked] as WaitingPoll;
      waiting[picked] = waiting.at(-1) as WaitingPoll;
      waiting.pop();
      const received: number[] = [];
      while (received.length < Math.min(maxMessages, room) && this.#first[queue] !== -1) {
        const execution = this.#first[queue] as number;
        this.#first[queue] = this.#next[execution] as number;
        received.push(execution);
      }
      this.#inFlight[queue] = (this.#inFlight[queue] as number) + received.length;
      this.maxInFlight = Math.max(this.maxInFlight, this.#inFlight[queue] as number);
      // Empty long polls are billed too.
      this.requests += 1 + Math.floor((this.#calendar.now - since) / LONG_POLL_TICKS);
      this.#deliver(poller, received);
    }
  }

  /** Makes a message in flight visible again. */
  returnToQueue(execution: number): void {
    const queue = this.#workload.queueOf(execution);
    this.#inFlight[queue] = (this.#inFlight[queue] as number) - 1;
    this.#append(execution);
    this.#serve(queue);
  }

  deleted(queue: number, count: number): void {
    this.#inFlight[queue] = (this.#inFlight[queue] as number) - count;
    this.#serve(queue);
  }
}

/** The numbers from `from` up to `to` (excluded), sorted by key. The sort is stable. */
function sortedBy(from: number, to: number, key: (n: number) => number): Int32Array {
  const counts: number[] = [0];
  for (let n = from; n < to; n++) {
    const k = key(n) + 1;
    while (counts.length <= k) counts.push(0);
    counts[k] = (counts[k] as number) + 1;
  }
  for (let k = 1; k < counts.length; k++) counts[k] = (counts[k] as number) + (counts[k - 1] as number);
  const sorted = new Int32Array(Math.max(0, to - from));
  for (let n = from; n < to; n++) {
    const k = key(n);
    const position = counts[k] as number;
    sorted[position] = n;
    counts[k] = position + 1;
  }
  return sorted;
}
