// SQS: messages become visible in the tens in which they were sent, wait for a long poll, and are in flight until deleted.
import { BATCH } from '../../src/queue/sqs/send-batch.ts';
import type { Seeded } from '../../test/support/seeded.ts';
import { type Calendar, TICKS_PER_MS, TICKS_PER_SECOND } from './calendar.ts';
import { figure } from './parameters.ts';
import { LEAD_SECONDS, type Workload } from './workload.ts';

const LONG_POLL_TICKS = 20 * TICKS_PER_SECOND;
/** A message is sent so that it is visible one to two seconds before its time (src/queue/sqs/sender.ts). */
const EARLY_TICKS = TICKS_PER_SECOND;

/** Told what a poll has brought. */
export type Deliver = (poller: number, executions: readonly number[]) => void;

export class Queues {
  requests = 0;
  /** Most messages in flight of any queue. */
  mostInFlight = 0;
  readonly #calendar: Calendar;
  readonly #workload: Workload;
  readonly #random: Seeded;
  readonly #inFlight: Int32Array;
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  readonly #next: Int32Array;
  /** Polls that wait, of each queue: who, since when, and for how many at most. */
  readonly #waiting: { poller: number; since: number; most: number }[][];
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

  /** Tens of one shard and queue go together: they were sent in one request, and delayed by the same whole seconds. */
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
      const late = -Math.log(1 - this.#random.float()) * figure('SQS delivers late by, mean') * TICKS_PER_MS;
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

  /** A poll that has come to the queue: answered at once, or when there is something. */
  poll(poller: number, queue: number, most: number): void {
    this.#waiting[queue]?.push({ poller, since: this.#calendar.now, most });
    this.#serve(queue);
  }

  #serve(queue: number): void {
    const waiting = this.#waiting[queue] as { poller: number; since: number; most: number }[];
    while (waiting.length > 0 && this.#first[queue] !== -1) {
      // at its limit a queue answers nothing (docs/facts.md#aws-limits)
      const room = figure('a queue, in flight') - (this.#inFlight[queue] as number);
      if (room <= 0) return;
      const picked = this.#random.bits() % waiting.length;
      const { poller, since, most } = waiting[picked] as { poller: number; since: number; most: number };
      waiting[picked] = waiting.at(-1) as { poller: number; since: number; most: number };
      waiting.pop();
      const taken: number[] = [];
      while (taken.length < Math.min(most, room) && this.#first[queue] !== -1) {
        const execution = this.#first[queue] as number;
        this.#first[queue] = this.#next[execution] as number;
        taken.push(execution);
      }
      this.#inFlight[queue] = (this.#inFlight[queue] as number) + taken.length;
      this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight[queue] as number);
      // long polls that ended without anything before are paid for too
      this.requests += 1 + Math.floor((this.#calendar.now - since) / LONG_POLL_TICKS);
      this.#deliver(poller, taken);
    }
  }

  /** Visible again. */
  handBack(execution: number): void {
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

/** The numbers from `from` on, `to` excluded, by key; those of one key in their order. */
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
    const place = counts[k] as number;
    sorted[place] = n;
    counts[k] = place + 1;
  }
  return sorted;
}
