// A worker on a standing clock, with receivers and a `handleMessage` that the test plays.
import { dueKey, executionId } from '../../src/domain/executions/ids.ts';
import type { Received, Receiver } from '../../src/queue/queue.ts';
import { type Context, DEFAULT_SETTINGS, type Log } from '../../src/scheduling/context.ts';
import type { Store, WorkerRow } from '../../src/store/store.ts';
import { type HandleMessage, startWorker, type WorkerOptions } from '../../src/worker/worker.ts';
import { NOON, StandingClock } from '../support/standing-clock.ts';

/** What became of a message. */
export interface FakeMessage extends Received {
  readonly id: string;
  readonly fate: string[];
}

let count = 0;

export function message(fireAt = NOON, body?: string, owner?: string): FakeMessage {
  const jobId = `job_${String(++count).padStart(20, '0')}`;
  const due = dueKey(fireAt);
  const fate: string[] = [];
  return {
    id: executionId(jobId, due),
    fate,
    message:
      body === undefined ? { jobId, due, revision: 'r', fireAt, enqueuedAt: NOON - 1000, owner } : undefined,
    body: body ?? '{}',
    receivedAt: NOON,
    delete: async () => void fate.push('deleted'),
    setVisibility: async (ms) => void fate.push(`hidden ${ms}`),
    deadLetter: async (reason) => void fate.push(`buried: ${reason}`),
  };
}

/** A long poll: answers when there is something, or when it is aborted. */
export class FakeInbox implements Receiver {
  readonly asked: number[] = [];
  /** Messages, or failures of the next polls. */
  readonly #waiting: (FakeMessage | Error)[] = [];
  readonly #polls = new Set<() => void>();

  get polling(): number {
    return this.#polls.size;
  }

  put(...messages: (FakeMessage | Error)[]): void {
    this.#waiting.push(...messages);
    for (const wake of [...this.#polls]) wake();
  }

  get left(): number {
    return this.#waiting.length;
  }

  async receive(max: number, signal: AbortSignal): Promise<Received[]> {
    this.asked.push(max);
    while (this.#waiting.length === 0 && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#polls.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.#polls.add(wake);
        signal.addEventListener('abort', wake);
      });
    }
    if (this.#waiting[0] instanceof Error) throw this.#waiting.shift();
    const batch: FakeMessage[] = [];
    while (batch.length < max && this.#waiting.length > 0 && !(this.#waiting[0] instanceof Error)) {
      batch.push(this.#waiting.shift() as FakeMessage);
    }
    return batch;
  }
}

/** Plays `handleMessage` as its contract says: wait until due, acquire a place, run until told to end, delete or hide. */
export class FakeExecute {
  readonly held = new Set<string>();
  readonly running = new Map<string, { end(): void; fail(error: Error): void }>();
  readonly toldToStop: string[] = [];
  most = 0;
  /** Stops when told to. */
  obedient = true;

  readonly handleMessage: HandleMessage = async ({ clock }, { shutdown, places }, received) => {
    const { id } = received as FakeMessage;
    const fireAt = received.message?.fireAt ?? 0;
    this.held.add(id);
    while (clock.now() < fireAt && !shutdown.draining.aborted)
      await clock.sleep(fireAt - clock.now(), shutdown.draining);
    this.held.delete(id);
    places.markDue();
    if (shutdown.draining.aborted || !(await places.acquire()))
      return received.setVisibility(places.returnAfterMs());
    places.running.add({ id, since: clock.now() });
    try {
      await new Promise<void>((resolve, reject) => {
        this.running.set(id, { end: resolve, fail: reject });
        this.most = Math.max(this.most, this.running.size);
        shutdown.aborting.addEventListener('abort', () => {
          this.toldToStop.push(id);
          if (this.obedient) resolve();
        });
      });
      await received.delete();
    } finally {
      places.running.remove(id);
      this.running.delete(id);
    }
  };

  endAll(): void {
    for (const { end } of this.running.values()) end();
  }
}

export interface LogLine {
  level: keyof Log;
  message: string;
  fields: Record<string, unknown>;
}

/** `shared` is the store that several workers have in common. */
export function start(options: Partial<WorkerOptions> = {}, shared?: Store) {
  const clock = new StandingClock();
  const receiver = new FakeInbox();
  const fake = new FakeExecute();
  const lines: LogLine[] = [];
  const rows: WorkerRow[] = [];
  const removed: string[] = [];
  const at =
    (level: keyof Log) =>
    (text: string, fields: Record<string, unknown> = {}) =>
      void lines.push({ level, message: text, fields });
  const store: Pick<Store, 'putWorker' | 'removeWorker' | 'listWorkers'> = {
    async putWorker(row) {
      rows.push(row);
      await shared?.putWorker(row);
    },
    async removeWorker(id) {
      removed.push(id);
      await shared?.removeWorker(id);
    },
    listWorkers: async (since) => (shared ? shared.listWorkers(since) : rows.slice(-1)),
  };
  const context: Context = {
    store: store as Store,
    queue: { send: async () => {} },
    clock,
    random: { id: (length) => 'x'.repeat(length), float: () => 0.5 },
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    settings: DEFAULT_SETTINGS,
  };
  const worker = startWorker(context, {
    workerId: 'w1',
    host: 'here',
    tasks: new Map(),
    receivers: [receiver],
    pollersPerQueue: 1,
    handleMessage: fake.handleMessage,
    ...options,
  });
  return { worker, context, clock, receiver, fake, lines, rows, removed, store };
}
