// Deletes of messages in batches of ten, or of half a second (src/queue/sqs/receiver.ts).
import { BATCH } from '../../src/queue/sqs/send-batch.ts';
import { type Calendar, TICKS_PER_MS } from './calendar.ts';

const COALESCE = 500 * TICKS_PER_MS;

export class Deletes {
  readonly #calendar: Calendar;
  readonly #queues: number;
  readonly #count: Int32Array;
  readonly #since: Int32Array;
  readonly #timeout: number;
  readonly #send: (worker: number, queue: number, count: number) => void;

  constructor(
    calendar: Calendar,
    workers: number,
    queues: number,
    send: (worker: number, queue: number, count: number) => void,
  ) {
    this.#calendar = calendar;
    this.#queues = queues;
    this.#send = send;
    this.#count = new Int32Array(workers * queues);
    this.#since = new Int32Array(workers * queues);
    this.#timeout = calendar.kind((receiver) => {
      const waited = calendar.now - (this.#since[receiver] as number);
      if ((this.#count[receiver] as number) > 0 && waited >= COALESCE) this.#flush(receiver);
    });
  }

  add(worker: number, queue: number): void {
    const receiver = worker * this.#queues + queue;
    const count = (this.#count[receiver] as number) + 1;
    this.#count[receiver] = count;
    if (count === 1) {
      this.#since[receiver] = this.#calendar.now;
      this.#calendar.at(this.#calendar.now + COALESCE, this.#timeout, receiver);
    }
    if (count === BATCH) this.#flush(receiver);
  }

  #flush(receiver: number): void {
    const count = this.#count[receiver] as number;
    this.#count[receiver] = 0;
    this.#send(Math.floor(receiver / this.#queues), receiver % this.#queues, count);
  }
}
