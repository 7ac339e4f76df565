// Throughput and latency of the API: 80 % reads and 20 % writes over HTTP against one server with its watcher and worker,
// embedded or on the AWS path.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { signToken, tokenKey } from '../src/local/tokens.ts';
import { startLocal } from './local-server.ts';
import { commandOf, type Engine, type Options, progress, type Report } from './report.ts';
import { durabilityNote, durabilityOf } from './system/durability.ts';
import { type Counts, type Embedded, inEmbedded } from './system/embedded.ts';

const SECONDS = 20;
const CONNECTIONS = 32;
const JOBS = 500;

/** Eight of ten requests read, as a client does that polls its jobs. */
function mix(jobs: readonly string[]): autocannon.Request[] {
  const pick = () => jobs[Math.floor(Math.random() * jobs.length)];
  const get = (path: () => string): autocannon.Request => ({
    method: 'GET',
    setupRequest: (request) => ({ ...request, path: path() }),
  });
  const create: autocannon.Request = {
    method: 'POST',
    path: '/jobs',
    body: JSON.stringify({
      task: 'noop',
      name: 'bench',
      schedule: { every: 'P1D', startAt: '2030-01-01T00:00:00Z' },
    }),
  };
  const edit: autocannon.Request = {
    method: 'PATCH',
    body: JSON.stringify({ tags: { bench: 'yes' } }),
    setupRequest: (request) => ({ ...request, path: `/jobs/${pick()}` }),
  };
  const one = () => get(() => `/jobs/${pick()}`);
  const executions = () => get(() => `/jobs/${pick()}/executions`);
  return [
    one(),
    one(),
    one(),
    create,
    one(),
    get(() => '/jobs?limit=20'),
    executions(),
    edit,
    executions(),
    get(() => '/executions'),
  ];
}

export const api = ({ engine }: Options): Promise<Report> =>
  engine === 'aws' ? onAws() : inEmbedded({}, embedded);

async function embedded(server: Embedded): Promise<Report> {
  let before: Counts | undefined;
  const result = await run(server.url, server.folder, async () => {
    before = await server.counts();
  });
  const after = await server.counts();
  const durability = durabilityOf(after, before);
  const cpuMs = (after.processCpuMs - (before?.processCpuMs ?? 0)) / result.requests.total;
  return report(result, 'embedded', [
    'The load generator and the server (API, watcher, worker, store in one process) share this machine.',
    `${cpuMs.toFixed(3)} ms of server CPU per request. ${durability.commits} commits of ${(durability.writes / durability.commits).toFixed(1)} writes on average, ${durability.fsyncs} fsyncs.`,
    durabilityNote(durability),
  ]);
}

async function onAws(): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-bench-'));
  const local = await startLocal(folder, 'aws');
  try {
    return report(await run(local.url, folder, async () => {}), 'aws', [
      'The load generator, the server (API, watcher, worker, queues) and the tables share this machine.',
    ]);
  } finally {
    await local.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(url: string, folder: string, warm: () => Promise<void>): Promise<autocannon.Result> {
  const token = await signToken(await tokenKey(folder), 'bench');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  progress('api: creating jobs');
  const jobs = await createJobs(url, headers);
  const load = (duration: number) =>
    autocannon({ url, connections: CONNECTIONS, duration, headers, requests: mix(jobs) });
  progress('api: warming up');
  await load(3);
  await warm();
  progress(`api: measuring for ${SECONDS} s`);
  const result = await load(SECONDS);
  progress('');
  return result;
}

async function createJobs(url: string, headers: Record<string, string>): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < JOBS) {
    const jobs = Array.from({ length: 100 }, () => ({
      task: 'noop',
      schedule: { every: 'P1D', startAt: '2030-01-01T00:00:00Z' },
    }));
    const response = await fetch(`${url}/jobs/batch`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ jobs }),
    });
    const { results } = (await response.json()) as { results: { job: { id: string } }[] };
    ids.push(...results.map(({ job }) => job.id));
  }
  return ids;
}

function report(
  { requests, latency, non2xx, errors, timeouts }: autocannon.Result,
  engine: Engine,
  notes: readonly string[],
): Report {
  return {
    name: 'api',
    command: commandOf('api', engine),
    tables: [
      {
        title: '80 % reads, 20 % writes',
        columns: ['', 'requests/s', 'p50 ms', 'p90 ms', 'p99 ms', 'p99.9 ms', 'max ms', 'failed'],
        rows: [
          [
            `${CONNECTIONS} connections, ${SECONDS} s`,
            requests.average,
            latency.p50,
            latency.p90,
            latency.p99,
            latency.p99_9,
            latency.max,
            non2xx + errors + timeouts,
          ],
        ],
      },
    ],
    notes: [
      'Reads: a job, a page of jobs, the executions of a job and over all jobs. Writes: create, edit.',
      ...notes,
    ],
  };
}
