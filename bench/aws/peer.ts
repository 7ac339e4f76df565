// Punctual's AWS path as a peer of `bench/peers/harness`, whose README has the contract. The engines and a watcher are the
// processes of the store. The worker runs in the worker process of the harness, and the use cases create jobs.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { z } from 'zod';
import { createBatch } from '../../src/api/handlers/create-batch.ts';
import { forEachLimit } from '../../src/concurrency/map-limit.ts';
import type { Backend } from '../../src/local/backend.ts';
import { readLocalConfig } from '../../src/local/config.ts';
import { connect } from '../../src/local/connect.ts';
import { findEngines } from '../../src/local/engines.ts';
import { createLog } from '../../src/runtime/log.ts';
import { NO_RECIPIENTS } from '../../src/tasks/aws/recipients.ts';
import { defineTask, type Task, type Tasks } from '../../src/tasks/task.ts';
import { startWorker, type Worker } from '../../src/worker/worker.ts';
import { type LocalProcess, startPart } from '../../test/support/processes.ts';
import { awsEngines } from '../conditions.ts';
import { TUNED_LEASE } from '../system/settings.ts';

interface Job {
  readonly id: number;
  readonly due: number;
  readonly hold?: number;
}
type OnJob = (job: Job) => Promise<void> | undefined;
type Profile = Record<string, string>;
interface Spec {
  readonly params: Partial<Job>;
  readonly schedule?: object;
}

export const name = 'punctual';
export const version = 'this checkout';
export const store = 'punctual';
export const notes = [
  'Engines (dynoxide on disk, fauxqs), a watcher and the worker run with the default settings. crashTuned has a shorter lease.',
  'A job that is due already is created without a schedule, and runs at once.',
];
export const profiles: Record<string, Profile> = {
  punctual: {},
  throughput: {},
  crashDefault: {},
  crashTuned: TUNED_LEASE,
};

const PER_BATCH = 100;
const BATCHES_AT_ONCE = 4;

/** A namespace is a prefix of tables and queues, with its own watcher. */
export async function startStore(dir: string) {
  mkdirSync(dir, { recursive: true });
  const env = { PUNCTUAL_DATA: dir, PUNCTUAL_LOG: 'error', PUNCTUAL_QUOTAS: 'off' };
  const engines = startPart('engines.main', env);
  await engines.printed(/DynamoDB API at/);
  const pids = [engines.child.pid];
  let watchers: LocalProcess[] = [];
  const stopWatchers = () => Promise.all(watchers.map((watcher) => watcher.stop('SIGKILL')));
  return {
    pids,
    version: awsEngines(),
    settings: { tables: 'on disk', queues: 'in memory' },
    fresh({ keepOthers = false } = {}) {
      if (!keepOthers) {
        void stopWatchers();
        watchers = [];
        pids.splice(1);
      }
      const prefix = `p${randomBytes(4).toString('hex')}-`;
      const watcher = startPart('watcher.main', { ...env, PUNCTUAL_PREFIX: prefix });
      watchers.push(watcher);
      pids.push(watcher.child.pid);
      return `punctual://${prefix}${dir}`;
    },
    settle() {},
    async stop() {
      await stopWatchers();
      await engines.stop('SIGKILL');
    },
  };
}

const params = z.object({ id: z.int(), due: z.int().optional(), hold: z.int().optional() });

const taskOf = (onJob: OnJob): Tasks => {
  const task = defineTask<z.infer<typeof params>>({
    name: 'bench',
    description: 'Tells the harness.',
    params,
    async run({ params: job, dueAt }) {
      await onJob({ due: dueAt.getTime(), ...job });
    },
  });
  return new Map([[task.name, task as Task<unknown>]]);
};

export function open(url: string, profile: Profile) {
  const [, prefix = '', dir = ''] = /^punctual:\/\/([^/]*)(.*)$/.exec(url) ?? [];
  const tasks = taskOf(() => undefined);
  const stopping = new AbortController();
  let backend: Backend;
  let worker: Worker | undefined;
  let disconnect: () => unknown = () => {};

  async function create(specs: readonly Spec[]): Promise<void> {
    const jobs = specs.map((spec) => ({ task: 'bench', ...spec }));
    const request = { jobs, userId: 'peers', requestId: 'peers' };
    const results = await createBatch(backend.ctx, { tasks, recipients: NO_RECIPIENTS }, request);
    // 422: the time of the job passed during the request
    const isPast = (spec: Spec, index: number) => spec.schedule && results[index]?.status === 422;
    const failed = specs.findIndex((spec, i) => results[i]?.status !== 201 && !isPast(spec, i));
    if (failed >= 0) throw new Error(`a job was not created: ${JSON.stringify(results[failed])}`);
    const past = specs.filter(isPast);
    if (past.length > 0) await create(past.map(({ params }) => ({ params })));
  }
  const specOf = (job: Job) => ({
    params: job,
    ...(job.due > Date.now() && { schedule: { at: new Date(job.due).toISOString() } }),
  });

  return {
    async start() {
      const config = readLocalConfig({
        PUNCTUAL_QUOTAS: 'off',
        PUNCTUAL_DATA: dir,
        PUNCTUAL_PREFIX: prefix,
        ...profile,
      });
      const log = createLog('error', { peer: name }, (line) => process.stderr.write(line));
      const running = {
        stopping: stopping.signal,
        defer: (stop: () => unknown) => {
          disconnect = stop;
        },
        fail: (error: Error) => log.error('the engines failed', { error }),
      };
      backend = await connect(config, await findEngines(config), running, log);
    },
    async createBatch(jobs: readonly Job[]) {
      const firsts = Array.from({ length: Math.ceil(jobs.length / PER_BATCH) }, (_, i) => i * PER_BATCH);
      await forEachLimit(firsts, BATCHES_AT_ONCE, (first) =>
        create(jobs.slice(first, first + PER_BATCH).map(specOf)),
      );
    },
    createOne: (job: Job) => create([specOf(job)]),
    createRecurring: (ids: readonly number[]) =>
      create(ids.map((id) => ({ params: { id }, schedule: { cron: '* * * * * *' } }))),
    async startWorker(onJob: OnJob) {
      const { ctx, receivers } = backend;
      worker = startWorker(ctx, {
        workerId: `w${process.pid}`,
        host: 'peers',
        tasks: taskOf(onJob),
        receivers,
      });
    },
    /** The harness asks when all jobs have started, so the jobs that have not ended are running. */
    pending: async () => worker?.running().length ?? 0,
    async stop() {
      stopping.abort();
      await worker?.stop({ deadlineMs: 0 });
      disconnect();
    },
  };
}
