// The long polls of the workers. Each one requests as many messages as the worker has room for (src/worker/worker.ts).
import { BATCH } from '../../src/queue/sqs/send-batch.ts';
import { HELD_PER_PLACE } from '../../src/worker/worker.ts';
import type { Seeded } from '../../test/support/seeded.ts';
import type { Calendar } from './calendar.ts';
import type { Places } from './places.ts';
import { Queues } from './queues.ts';
import { latencyOf } from './random.ts';
import type { Workload } from './workload.ts';

const PER_QUEUE = 2;

export interface PollsOptions {
  readonly calendar: Calendar;
  readonly workload: Workload;
  readonly random: Seeded;
  readonly places: Places;
  receive(worker: number, executions: readonly number[]): void;
}

export class Polls {
  readonly queues: Queues;
  readonly #options: PollsOptions;
  readonly #perWorker: number;
  readonly #latency: () => number;
  readonly #inHand: Int32Array;
  /** The pollers that wait for room, by worker. */
  readonly #parked: number[][];

  constructor(options: PollsOptions) {
    const { calendar, workload, random } = options;
    const { workers, queues } = workload.options;
    this.#options = options;
    this.#perWorker = queues * PER_QUEUE;
    this.#latency = latencyOf(random, 'SQS');
    this.#inHand = new Int32Array(workers);
    this.#parked = Array.from({ length: workers }, () => []);
    this.queues = new Queues(calendar, workload, random, (poller, received) =>
      this.#deliver(poller, received),
    );
  }

  start(): void {
    const { workers } = this.#options.workload.options;
    for (let poller = 0; poller < workers * this.#perWorker; poller++) this.#poll(poller);
  }

  /** Requests at most this poller's share of the free places, and at most what the worker may still hold. */
  #poll(poller: number): void {
    const { calendar, workload, places } = this.#options;
    const { concurrency, queues } = workload.options;
    const worker = Math.floor(poller / this.#perWorker);
    const room = Math.min(
      BATCH,
      Math.ceil(places.free(worker) / this.#perWorker),
      concurrency * HELD_PER_PLACE - (this.#inHand[worker] as number),
    );
    if (room < 1) this.#parked[worker]?.push(poller);
    else
      calendar.call(calendar.now + this.#latency() / 2, () =>
        this.queues.poll(poller, poller % queues, room),
      );
  }

  #deliver(poller: number, executions: readonly number[]): void {
    const { calendar, receive } = this.#options;
    const worker = Math.floor(poller / this.#perWorker);
    calendar.call(calendar.now + this.#latency() / 2, () => {
      this.#inHand[worker] = (this.#inHand[worker] as number) + executions.length;
      receive(worker, executions);
      this.#poll(poller);
    });
  }

  /** The worker is done with one message. */
  release(worker: number): void {
    this.#inHand[worker] = (this.#inHand[worker] as number) - 1;
    const parked = this.#parked[worker] as number[];
    if (parked.length === 0) return;
    this.#parked[worker] = [];
    for (const poller of parked) this.#poll(poller);
  }
}
