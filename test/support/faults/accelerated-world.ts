// The world of one fault test: its own tables and queues on shared engines, a proxy in front of each engine, real processes
// on an accelerated clock that can be killed, and a check of all promises at the end.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { jobIdFromKey } from '../../../src/domain/digest.ts';
import { NeverFires } from '../../../src/domain/errors.ts';
import { minuteOf } from '../../../src/domain/executions/slots.ts';
import { type JobSpec, jobSpecSchema } from '../../../src/domain/jobs/job-spec.ts';
import { asUser } from '../../../src/domain/principal.ts';
import { cancelJob } from '../../../src/jobs/cancel-job.ts';
import { createJob } from '../../../src/jobs/create-job.ts';
import { createQueues, type QueueUrls, WORK_QUEUE } from '../../../src/queue/sqs/queue-definitions.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { type Context, DEFAULT_SETTINGS, type Settings } from '../../../src/scheduling/context.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { allShards } from '../../../src/watcher/main.ts';
import { dynamoClient, sqsClient, startDynoxide, startQueueServer } from '../engines.ts';
import { type Accepted, brokenPromises, lastDue, type Observed, unfinished } from './check.ts';
import { type Child, startChild } from './child.ts';
import { connect, type PartConfig, type Role } from './part.ts';
import { type ProbeParams, type Run, readRuns } from './probe.ts';
import { type EngineProxy, startProxy } from './proxy.ts';
import { randomOf, SEED } from './random.ts';

export interface Engines {
  readonly dynamodb: string;
  readonly sqs: string;
  stop(): Promise<void>;
}

/** The engines of local mode, with the tables on disk. */
export async function startEngines(): Promise<Engines> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-faults-'));
  const [tables, queues] = await Promise.all([
    startDynoxide({ dataPath: join(folder, 'tables.db') }),
    startQueueServer(),
  ]);
  return {
    dynamodb: tables.endpoint,
    sqs: queues.endpoint,
    async stop() {
      await Promise.all([tables.stop(), queues.stop()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface WorldOptions {
  readonly speed?: number;
  readonly settings?: Partial<Settings>;
  /** Default true. False in tests that stop a single write, because a group would stop other writes with it. */
  readonly groupCommit?: boolean;
}

/** Few shards, and a watcher that passes often and settles soon, so that lost messages are found within minutes. */
export const TEST_SETTINGS: Settings = {
  ...DEFAULT_SETTINGS,
  shards: 2,
  watchPeriodMs: 15_000,
  marginMs: 80_000,
  settleLagMs: 40_000,
  // the requests of a claim take as long as everywhere, and 1 s of this clock is 50 ms
  startWindowMs: 10_000,
};
const SPEED = 20;
export const USER = 'ann';
export const OWNER = asUser(USER);
const LOGGED_LINES = 12;
const LOGGED_CHARACTERS = 400;

export type Spec = Partial<Omit<JobSpec, 'params'>> & { readonly params?: ProbeParams };

export class AcceleratedWorld {
  readonly name: string;
  /** Connected to the engines without the proxies. */
  readonly context: Context;
  /** Connected through the proxies, as the processes are. */
  readonly troubled: Context;
  readonly dynamodb: EngineProxy;
  readonly sqs: EngineProxy;
  readonly jobs: Accepted[] = [];
  readonly #children: Child[] = [];
  readonly #stopped = new Map<number, number>();
  readonly #folder: string;
  readonly #config: Omit<PartConfig, 'name' | 'roles'>;
  readonly #destroy: () => void;

  static async open(engines: Engines, name: string, options: WorldOptions = {}): Promise<AcceleratedWorld> {
    const prefix = `${name.replaceAll(/\W+/g, '-').slice(0, 30)}-${randomOf(name)().toString(36).slice(2, 6)}-`;
    const dynamodb = await startProxy(engines.dynamodb);
    const sqs = await startProxy(engines.sqs);
    const speed = options.speed ?? SPEED;
    const client = dynamoClient(engines.dynamodb);
    const [, urls] = await Promise.all([
      createTables(client, prefix),
      makeQueues(engines.sqs, prefix, speed),
    ]);
    client.destroy();
    const world = new AcceleratedWorld(name, engines, prefix, urls, { dynamodb, sqs }, { ...options, speed });
    await world.#beginAtTheHorizon();
    return world;
  }

  private constructor(
    name: string,
    engines: Engines,
    tablePrefix: string,
    urls: QueueUrls,
    proxies: { dynamodb: EngineProxy; sqs: EngineProxy },
    { speed, settings, groupCommit = true }: WorldOptions & { speed: number },
  ) {
    this.name = name;
    this.dynamodb = proxies.dynamodb;
    this.sqs = proxies.sqs;
    this.#folder = mkdtempSync(join(tmpdir(), 'punctual-evidence-'));
    const evidenceFile = join(this.#folder, 'runs.jsonl');
    appendFileSync(evidenceFile, '');
    this.#config = {
      ...urls,
      speed,
      origin: Date.now(),
      settings: { ...TEST_SETTINGS, ...settings },
      endpoints: { dynamodb: proxies.dynamodb.url, sqs: proxies.sqs.url },
      tablePrefix,
      groupCommit,
      evidenceFile,
      drainMs: 60_000,
      concurrency: 50,
    };
    const direct = { ...this.#config, endpoints: { dynamodb: engines.dynamodb, sqs: engines.sqs } };
    const log = createLog('silent');
    const straight = connect(direct, log);
    const proxied = connect(this.#config, log);
    this.context = straight.context;
    this.troubled = proxied.context;
    this.#destroy = () => {
      straight.destroy();
      proxied.destroy();
    };
  }

  /** Sets the cursors as if a watcher had always run. The first watcher would otherwise read the slots of an hour. */
  async #beginAtTheHorizon(): Promise<void> {
    const { store, settings } = this.context;
    const dispatchedUntil = minuteOf(this.now + settings.lookAheadMs);
    const settledUntil = minuteOf(this.now - settings.settleLagMs) - 1;
    for (const shard of allShards(settings.shards))
      await store.insertShard({ shard, leaseUntil: 0, dispatchedUntil, settledUntil });
  }

  get now(): number {
    return this.context.clock.now();
  }

  get speed(): number {
    return this.#config.speed;
  }

  get tablePrefix(): string {
    return this.#config.tablePrefix;
  }

  /** The ISO time `ms` of accelerated time from now. */
  at(ms: number): string {
    return new Date(this.now + ms).toISOString();
  }

  sleep(ms: number): Promise<void> {
    return this.context.clock.sleep(ms);
  }

  async start(name: string, roles: readonly Role[], more: Partial<PartConfig> = {}): Promise<Child> {
    const config: PartConfig = { ...this.#config, ...more, name, roles };
    const child = await startChild(name, './process.ts', [JSON.stringify(config)]);
    this.#children.push(child);
    return child;
  }

  async kill(...children: readonly Child[]): Promise<void> {
    await Promise.all(children.map((child) => child.kill()));
    for (const { pid } of children) this.#stopped.set(pid, this.now);
  }

  /** Sends SIGSTOP. The runs of the process do not count as running from now on. */
  freeze(child: Child): void {
    child.signal('SIGSTOP');
    this.#stopped.set(child.pid, this.now);
  }

  /** Creates a job, as the API does before it answers 201. With a key the id is known before. */
  async create(spec: Spec, idempotencyKey?: string, context = this.context): Promise<Accepted> {
    const { job } = await createJob(context, { userId: USER, spec: fullSpec(spec), idempotencyKey });
    return this.accept(job.id);
  }

  idOf(idempotencyKey: string): string {
    return jobIdFromKey(USER, idempotencyKey);
  }

  /** Creates a job during faults. The request is repeated with the same key until it is accepted. */
  async createAnyhow(spec: () => Spec): Promise<Accepted> {
    for (;;) {
      const request = { userId: USER, spec: fullSpec(spec()), idempotencyKey: this.context.random.id(12) };
      try {
        const { job } = await anyhow(() => createJob(this.troubled, request));
        return await this.accept(job.id);
      } catch (error) {
        // all that was asked for was over before anybody answered: the client asks for something later
        if (!(error instanceof NeverFires)) throw error;
      }
    }
  }

  /** Registers an existing job. The promises hold for it from now on. */
  async accept(jobId: string): Promise<Accepted> {
    const known = this.jobs.find((job) => job.jobId === jobId);
    if (known) return known;
    const head = await this.context.store.readHead(jobId, { consistent: true });
    if (!head) throw new Error(`${jobId} was accepted, and it does not exist`);
    const { schedule, createdAt, overlap } = head;
    const accepted: Accepted = { jobId, schedule, createdAt, overlap };
    this.jobs.push(accepted);
    return accepted;
  }

  async cancel(job: Accepted): Promise<void> {
    job.withdrawAskedAt = this.now;
    await anyhow(() => cancelJob(this.troubled, OWNER, job.jobId));
    job.cancelledAt = this.now;
    job.runningThen = (await this.rows(job)).filter(({ status }) => status === 'RUNNING');
  }

  runs(job?: Accepted): Run[] {
    return readRuns(this.#config.evidenceFile).filter((run) => !job || run.jobId === job.jobId);
  }

  async rows(job: Accepted) {
    const { store } = this.context;
    const { items } = await store.listRows(job.jobId, { limit: 1000, newestFirst: false, consistent: true });
    return items;
  }

  /** Waits for a condition. The deadline is in real time. */
  async until(what: string, holds: () => boolean | Promise<boolean>, waitMs = 40_000): Promise<void> {
    for (const end = Date.now() + waitMs; !(await holds()); await wait(50)) {
      if (Date.now() > end) throw new Error(`waited ${waitMs} ms in vain: ${what}\n${await this.story()}`);
    }
  }

  /** Waits for a pass of the watcher. Jobs that are created now and due soon are sent by their creator alone. */
  async watched(): Promise<void> {
    const { store, settings } = this.context;
    const horizon = () => minuteOf(this.now + settings.lookAheadMs);
    await this.until('the watcher has come up to the horizon', async () => {
      const shards = await Promise.all(allShards(settings.shards).map((shard) => store.readShard(shard)));
      return shards.every((shard) => shard && shard.dispatchedUntil >= horizon());
    });
  }

  /**
   * Waits until every execution that is due up to `until` (by default all) has ended, and throws if a promise was broken.
   */
  async check(until = lastDue(this.jobs), waitMs = 60_000): Promise<void> {
    await this.sleep(until - this.now);
    const end = Date.now() + waitMs;
    let observed = await this.#observe(until);
    while (unfinished(observed).length > 0 && Date.now() < end) {
      await wait(400);
      observed = await this.#observe(until);
    }
    const broken = brokenPromises(observed);
    if (broken.length > 0)
      throw new Error(
        `${broken.length} broken promises:\n${broken.slice(0, 20).join('\n')}\n${await this.story(broken.join())}`,
      );
  }

  async #observe(until: number): Promise<Observed> {
    const rows = await Promise.all(this.jobs.map(async (job) => [job.jobId, await this.rows(job)] as const));
    return {
      jobs: this.jobs,
      until,
      rows: new Map(rows),
      runs: this.runs(),
      stopped: this.#stopped,
    };
  }

  /** The facts about a failure: the seed, the runs, the rows, the heads and the last log lines. */
  async story(about = ''): Promise<string> {
    const lines = [`FAULT_SEED=${SEED}, scenario "${this.name}", ${this.now} by its clock`];
    for (const job of this.jobs.filter((j) => about === '' || about.includes(j.jobId)).slice(0, 3)) {
      lines.push(`job ${JSON.stringify(job)}`);
      lines.push(
        `head ${JSON.stringify(await this.context.store.readHead(job.jobId, { consistent: true }))}`,
      );
      for (const row of (await this.rows(job)).slice(-10)) lines.push(`row ${JSON.stringify(row)}`);
      for (const run of this.runs(job).slice(-10)) lines.push(`run ${JSON.stringify(run)}`);
    }
    for (const [pid, at] of this.#stopped) lines.push(`process ${pid} stopped at ${at}`);
    for (const child of this.#children)
      lines.push(
        `log of ${child.name} (${child.pid}):`,
        ...child.log.slice(-LOGGED_LINES).map((line) => line.slice(0, LOGGED_CHARACTERS)),
      );
    return lines.join('\n');
  }

  async close(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.kill()));
    this.#destroy();
    await Promise.all([this.dynamodb.stop(), this.sqs.stop()]);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** More attempts than a test has faults. */
const RETRY = { maxAttempts: 20, backoffSeconds: 2, maxBackoffSeconds: 10 };

const fullSpec = ({ params = {}, ...rest }: Spec): JobSpec =>
  jobSpecSchema.parse({ task: 'probe', retry: RETRY, ...rest, params });

const MAX_TRIES = 30;

/** Repeats a failed call, as a client does. */
async function anyhow<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof NeverFires) throw error;
      if (attempt === MAX_TRIES) throw new Error(`asked ${attempt} times in vain`, { cause: error });
    }
  }
}

/** The queues as deployed. Their visibility timeout is shortened by the speed of the clock. */
export async function makeQueues(endpoint: string, prefix: string, speed: number): Promise<QueueUrls> {
  const client = sqsClient(endpoint);
  const urls = await createQueues(client, prefix, 1);
  for (const QueueUrl of urls.queueUrls) {
    const VisibilityTimeout = String(Math.ceil(WORK_QUEUE.visibilitySeconds / speed));
    await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout } }));
  }
  client.destroy();
  return urls;
}

/** Runs a story in a world of its own, and closes the world after it. */
export async function inWorld(
  engines: Engines,
  name: string,
  story: (world: AcceleratedWorld) => Promise<void>,
  options?: WorldOptions,
): Promise<void> {
  const world = await AcceleratedWorld.open(engines, name, options);
  try {
    await story(world);
  } finally {
    await world.close();
  }
}
