// Workers, watcher and notifier on a standing clock, with the store and the queues in memory. A test can let one of them
// die at its n-th call, before or after that call takes effect. A new process replaces it a second later.
import { z } from 'zod';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import type { JobSpec } from '../../src/domain/jobs/job-spec.ts';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { asUser } from '../../src/domain/principal.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { runNow } from '../../src/jobs/manual-runs.ts';
import { publishEvents } from '../../src/notifications/publish-events.ts';
import { consume, jobOf } from '../../src/notifier/consume.ts';
import type { DeliveryMessage, NotifyMessage, NotifyQueue } from '../../src/queue/notify-queue.ts';
import type { Message, Queue, Received } from '../../src/queue/queue.ts';
import { type Context, DEFAULT_SETTINGS, type Settings } from '../../src/scheduling/context.ts';
import { watch } from '../../src/scheduling/planning/watch-shards.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import type { Store } from '../../src/store/store.ts';
import { defineTask, type TaskContext, type Tasks } from '../../src/tasks/task.ts';
import { StandingClock, settle } from '../support/standing-clock.ts';
import { workerPort } from '../support/worker-port.ts';

export type Role = 'worker' | 'watcher' | 'notifier';

/** The call at which a process dies. */
export interface Death {
  readonly role: Role;
  /** The number of the call, from 1. */
  readonly at: number;
  readonly when: 'before' | 'after';
}

export interface WorldOptions {
  readonly death?: Death;
  readonly windowMs?: number;
  readonly settings?: Partial<Settings>;
  /** The task of the jobs. It fails by default. */
  readonly task?: (ctx: TaskContext<unknown>) => Promise<unknown>;
  /** Called with each notification before the receiver records it. An error fails the delivery. */
  readonly receive?: (params: unknown) => Promise<unknown>;
  readonly changes?: boolean;
}

interface Queued<T> {
  readonly body: T;
  visibleAt: number;
  times: number;
}

/** A queue that hides a message for a fixed time after each receive, as SQS does. */
class QueueInMemory<T> {
  readonly messages = new Set<Queued<T>>();
  readonly dead: { body: T; reason: string }[] = [];
  down = false;
  sent = 0;
  readonly #now: () => number;
  readonly #hiddenMs: number;
  constructor(now: () => number, hiddenMs: number) {
    this.#now = now;
    this.#hiddenMs = hiddenMs;
  }

  async put(bodies: readonly T[], delayMs: number): Promise<void> {
    if (this.down) throw new Error('the queue does not answer');
    for (const body of bodies)
      this.messages.add({ body: structuredClone(body), visibleAt: this.#now() + delayMs, times: 0 });
    this.sent += bodies.length;
  }

  take(max: number): Queued<T>[] {
    const visible = [...this.messages].filter(({ visibleAt }) => visibleAt <= this.#now()).slice(0, max);
    for (const one of visible) {
      one.visibleAt = this.#now() + this.#hiddenMs;
      one.times++;
    }
    return visible;
  }
}

/** A process whose calls are counted. No call returns after it has died. */
class Process {
  calls = 0;
  dead = false;
  readonly died = Promise.withResolvers<void>();
  readonly #death: Death | undefined;
  constructor(death?: Death) {
    this.#death = death;
  }

  async call<T>(work: () => Promise<T>): Promise<T> {
    if (this.dead) return new Promise<never>(() => {});
    const dies = ++this.calls === this.#death?.at;
    if (!dies) return work();
    this.dead = true;
    if (this.#death?.when === 'after') await work();
    this.died.resolve();
    return new Promise<never>(() => {});
  }
}

export class CrashingWorld {
  readonly clock = new StandingClock();
  readonly store = new MemoryStore({ shards: 1 });
  readonly work = new QueueInMemory<Message>(() => this.clock.now(), 30_000);
  readonly notify = new QueueInMemory<NotifyMessage>(() => this.clock.now(), 60_000);
  /** The notifications that receivers got, in order. */
  readonly notifications: DeliveryMessage['payload'][] = [];
  /** The changes that EventBridge got. */
  readonly changes: string[] = [];
  /** If true, no worker receives messages. */
  noWorkers = false;
  /** The number of processes that have died. */
  deaths = 0;
  readonly settings: Settings;
  readonly #options: WorldOptions;
  #ids = 0;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.settings = { ...DEFAULT_SETTINGS, shards: 1, ...options.settings };
    const before = minuteOf(this.clock.now()) - 1;
    this.store.shards.set(0, { shard: 0, leaseUntil: 0, dispatchedUntil: before, settledUntil: before });
    for (const role of ['worker', 'watcher', 'notifier'] as const) this.#keepRunning(role);
  }

  /** The context of API calls, whose process does not die. */
  readonly people = (): Context => this.#context(new Process());

  async create(spec: z.input<typeof jobSpecSchema>): Promise<string> {
    const parsed: JobSpec = jobSpecSchema.parse(spec);
    return (await createJob(this.people(), { userId: 'u', spec: parsed })).job.id;
  }

  runNow = (jobId: string) => runNow(this.people(), asUser('u'), jobId);

  rows = (jobId: string) => this.store.rows.all().filter((row) => row.jobId === jobId);

  notificationsOf = (event: string) => this.notifications.filter((payload) => payload.event === event);

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    await settle();
  }

  #keepRunning(role: Role): void {
    const { death } = this.#options;
    const run = async () => {
      let process = new Process(death?.role === role ? death : undefined);
      for (;;) {
        await Promise.race([this[role](process).catch(() => {}), process.died.promise]);
        await this.clock.sleep(1000);
        if (!process.dead) continue;
        this.deaths++;
        process = new Process();
      }
    };
    void run();
  }

  #context(process: Process): Context {
    const { store, clock, settings } = this;
    const calls = new Proxy(store, {
      get: (target, name: keyof Store) => {
        const method = target[name];
        if (typeof method !== 'function') return method;
        return (...args: never[]) =>
          process.call(() => (method as (...a: never[]) => Promise<unknown>).apply(target, args));
      },
    });
    const names = Object.getOwnPropertyNames(MemoryStore.prototype) as (keyof Store)[];
    const plain = Object.fromEntries(names.map((name) => [name, calls[name]])) as unknown as Store;
    const queue: Queue = {
      send: (messages) =>
        process.call(async () => {
          for (const one of messages)
            await this.work.put([one], Math.max(0, one.fireAt - this.clock.now() - 1000));
        }),
    };
    const context: Context = {
      store: plain,
      queue,
      clock,
      random: { id: (length) => String(++this.#ids).padStart(length, 'a'), float: () => 0.5 },
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      settings,
    };
    return publishEvents(context, {
      queue: this.#notifyQueue(process),
      changes: this.#options.changes ?? false,
    });
  }

  #notifyQueue = (process: Process): NotifyQueue => ({
    send: (messages, delayMs = 0) => process.call(() => this.notify.put(messages, delayMs)),
  });

  async worker(process: Process): Promise<void> {
    if (this.noWorkers) return;
    const context = this.#context(process);
    const { task = async () => Promise.reject(new Error('it did not work')) } = this.#options;
    const tasks = new Map([
      ['t', defineTask({ name: 't', description: '', params: z.unknown(), run: task })],
    ]);
    const worker = workerPort(tasks, {}, { workerId: 'w' });
    const all = this.work
      .take(200)
      .map((queued) =>
        handleMessage(context, worker, this.#received(process, this.work, queued, queued.body)).catch(
          () => {},
        ),
      );
    await Promise.all(all);
  }

  async watcher(process: Process): Promise<void> {
    await watch(this.#context(process), [0], new AbortController().signal);
    await this.clock.sleep(30_000);
  }

  async notifier(process: Process): Promise<void> {
    const context = this.#context(process);
    const notifier = {
      context,
      queue: this.#notifyQueue(process),
      windowMs: this.#options.windowMs ?? 300_000,
      tasks: this.#delivering(process),
      emailFrom: 'punctual@example.com',
      bus: 'bus',
    };
    const perJob = Map.groupBy(this.notify.take(50), ({ body }) => jobOf(JSON.stringify(body)));
    await Promise.all(
      [...perJob.values()].map(async (batch) => {
        for (const queued of batch) {
          const received = this.#received(process, this.notify, queued, undefined);
          const answer = await consume(notifier, JSON.stringify(queued.body), queued.times);
          if (answer.kind === 'done') await received.delete();
          else if (answer.kind === 'later') await received.setVisibility(answer.ms);
          else await received.deadLetter(answer.reason);
        }
      }),
    );
  }

  #delivering(process: Process): Tasks {
    const { receive = async () => {} } = this.#options;
    const deliver = (name: string, got: (params: never) => void) =>
      defineTask({
        name,
        description: '',
        params: z.unknown(),
        run: ({ params }) =>
          process.call(async () => {
            await receive(params);
            got(params as never);
          }),
      });
    return new Map([
      [
        'http',
        deliver('http', ({ body }: { body: DeliveryMessage['payload'] }) => this.notifications.push(body)),
      ],
      [
        'eventbridge',
        deliver('eventbridge', (p: { detail: { change: string } }) => this.changes.push(p.detail.change)),
      ],
    ]);
  }

  #received<T>(
    process: Process,
    queue: QueueInMemory<T>,
    queued: Queued<T>,
    message: Message | undefined,
  ): Received {
    return {
      message,
      body: '',
      receivedAt: this.clock.now(),
      receiveCount: queued.times,
      delete: () => process.call(async () => void queue.messages.delete(queued)),
      setVisibility: (ms) =>
        process.call(async () => {
          queued.visibleAt = this.clock.now() + ms;
        }),
      deadLetter: (reason) =>
        process.call(async () => {
          queue.messages.delete(queued);
          queue.dead.push({ body: queued.body, reason });
        }),
    };
  }
}

export const WEBHOOK = { webhook: { url: 'https://example.com/alert' } };
