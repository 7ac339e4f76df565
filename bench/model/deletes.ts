// Deletes in batches: ten together, or those of half a second (src/queue/sqs/receiver.ts).
import { BATCH } from '../../src/queue/sqs/send-batch.ts';
import { type Calendar, TICKS_PER_MS } from './calendar.ts';

const COALESCE = 500 * TICKS_PER_MS;

export class Deletes {
  readonly #calendar: Calendar;
  readonly #queues: number;
  readonly #count: Int32Array;
  readonly #since: Int32Array;
  readonly #late: number;
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
    this.#late = calendar.kind((inbox) => {
      const waited = calendar.now - (this.#since[inbox] as number);
      if ((this.#count[inbox] as number) > 0 && waited >= COALESCE) this.#flush(inbox);
    });
  }

  add(worker: number, queue: number): void {
    const inbox = worker * this.#queues + queue;
    const count = (this.#count[inbox] as number) + 1;
    this.#count[inbox] = count;
    if (count === 1) {
      this.#since[inbox] = this.#calendar.now;
      this.#calendar.at(this.#calendar.now + COALESCE, this.#late, inbox);
    }
    if (count === BATCH) this.#flush(inbox);
  }

  #flush(inbox: number): void {
    const count = this.#count[inbox] as number;
    this.#count[inbox] = 0;
    this.#send(Math.floor(inbox / this.#queues), inbox % this.#queues, count);
  }
}
