// Punctual as a peer of `bench/peers/harness`, whose README has the contract. The harness's worker process runs the server
// of `npm start`, with API, watcher, worker and store in one process. The producer process calls its API over HTTP.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../src/local/start-error.ts';
import { type LocalProcess, startPart } from '../../test/support/processes.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../system/embedded-server.ts';
import { createRest, type Rest } from '../system/rest.ts';
import type { Spec } from '../system/specs.ts';
import { handleBy, type Job, type OnJob } from './tasks/peer.ts';

export const name = 'punctual';
export const version = 'this checkout';
export const store = 'punctual';
export const notes = [
  'One process on one SQLite file with the default settings and no limits per owner. Its CPU includes the API, the watcher, the worker and the store.',
  'Jobs are created over HTTP. A job that is due already is created without a schedule and runs at once.',
  'Crash: a second process waits for the lock of the data folder and starts when the killed one has let it go.',
];
export const profiles: Record<string, Record<string, string>> = {
  punctual: {},
  throughput: {},
  crashDefault: {},
  crashTuned: {},
};

const TASKS = join(import.meta.dirname, 'tasks');
/** Each process of a namespace writes a file: first the producer, then the worker. Later processes are standby workers. */
const ROLES = ['producer', 'worker'];
/** The interval at which a server tries to lock the folder. A supervisor would restart a process as quickly. */
const TRY_EVERY_MS = 50;

const settingsOf = (folder: string) => ({
  PUNCTUAL_DATA: folder,
  PUNCTUAL_PORT: '0',
  PUNCTUAL_LOG: 'error',
  PUNCTUAL_QUOTAS: 'off',
  PUNCTUAL_TASKS_FOLDER: TASKS,
});

/** A namespace is a data folder. An `npm start` serves it until a worker process does. */
export async function startStore(dir: string) {
  mkdirSync(dir, { recursive: true });
  let servers: LocalProcess[] = [];
  const stop = () => Promise.all(servers.map((server) => server.stop('SIGKILL')));
  return {
    pids: [],
    version: `SQLite ${process.versions.sqlite}`,
    settings: { journal_mode: 'WAL', synchronous: 'FULL', fsync: 'each commit' },
    fresh({ keepOthers = false } = {}) {
      if (!keepOthers) {
        void stop();
        servers = [];
      }
      const folder = join(dir, randomBytes(4).toString('hex'));
      mkdirSync(folder);
      servers.push(startPart('main', settingsOf(folder)));
      return `punctual://${folder}`;
    },
    settle() {},
    stop,
  };
}

/** The process that serves the folder, and its port. */
function servedBy(folder: string): { pid: number; port: string } | undefined {
  const pid = Number(/api-(\d+)\.url/.exec(readdirSync(folder).join(' '))?.[1]);
  return pid ? { pid, port: new URL(readFileSync(join(folder, `api-${pid}.url`), 'utf8')).port } : undefined;
}

export function open(url: string) {
  const folder = url.slice('punctual://'.length);
  const stopping = new AbortController();
  const stops: (() => unknown)[] = [];
  let server: EmbeddedServer | undefined;
  let rest: Promise<Rest> | undefined;
  let started = 0;

  /** Retries until the server that has locked the folder has ended. */
  async function takeOver(): Promise<void> {
    Object.assign(process.env, settingsOf(folder));
    const lifecycle = {
      stopping: stopping.signal,
      defer: (stop: () => unknown) => void stops.push(stop),
      fail: (error: Error) => console.error('punctual:', error.message),
    };
    while (!server && !stopping.signal.aborted) {
      try {
        server = await startEmbeddedServer(lifecycle, true);
      } catch (error) {
        if (!(error instanceof StartError)) throw error;
        await sleep(TRY_EVERY_MS);
      }
    }
  }

  async function served(): Promise<{ pid: number; port: string }> {
    for (let waited = 0; waited < 20_000; waited += 20) {
      const found = servedBy(folder);
      if (found) return found;
      await sleep(20);
    }
    throw new Error('no server has started');
  }

  async function api(): Promise<Rest> {
    const { port } = await served();
    return createRest(`http://127.0.0.1:${port}`, folder);
  }

  async function create(specs: readonly Spec[]): Promise<void> {
    rest ??= api();
    const client = await rest;
    const [only] = specs;
    const results =
      specs.length === 1 && only ? [await client.createOne(only)] : await client.createBatches(specs);
    // 422: the time of the job passed during the request
    const isPast = (spec: Spec, i: number) => spec.schedule !== undefined && results[i]?.status === 422;
    const failed = specs.findIndex((spec, i) => results[i]?.status !== 201 && !isPast(spec, i));
    if (failed >= 0) throw new Error(`a job was not created: ${JSON.stringify(results[failed])}`);
    const past = specs.filter(isPast);
    if (past.length > 0) await create(past.map(({ schedule: _, ...spec }) => spec));
  }
  const specOf = (job: Job): Spec => ({
    task: 'peer',
    params: job,
    ...(job.due > Date.now() && { schedule: { at: new Date(job.due).toISOString() } }),
  });

  return {
    async start() {
      const role = ROLES.find((name) => !existsSync(join(folder, name)));
      if (role) writeFileSync(join(folder, role), '');
      if (role === 'producer') await served();
      if (role !== 'worker') return;
      const { pid } = await served();
      process.kill(pid, 'SIGKILL');
      rmSync(join(folder, `api-${pid}.url`));
      await takeOver();
    },
    createBatch: (jobs: readonly Job[]) => create(jobs.map(specOf)),
    createOne: (job: Job) => create([specOf(job)]),
    createRecurring: (ids: readonly number[]) =>
      create(ids.map((id) => ({ task: 'peer', params: { id }, schedule: { cron: '* * * * * *' } }))),
    async startWorker(onJob: OnJob) {
      handleBy((job) => {
        started++;
        return onJob(job);
      });
      if (server) server.openInbox();
      else void takeOver().then(() => server?.openInbox());
    },
    /** The harness calls it when all jobs have started. */
    pending: async () => started - (server?.ended() ?? 0),
    async stop() {
      stopping.abort();
      await (await rest)?.close();
      for (const stop of stops.reverse()) await stop();
    },
  };
}
