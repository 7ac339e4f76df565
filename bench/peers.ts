// Compares Punctual with BullMQ, pg-boss and graphile-worker. The harness of `bench/peers/harness` runs the same workloads.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commandOf, type Engine, type Options, progress, type Report } from './report.ts';

const HARNESS = join(import.meta.dirname, 'peers', 'harness');
const HOME = process.env.PEERS_HOME ?? join(tmpdir(), 'punctual-peers');
const PEERS = ['punctual', 'bullmq', 'pg-boss', 'graphile-worker'];
/** Each workload runs for all peers before the next one, so that a slow phase of the machine affects all of them. */
const WORKLOADS = ['A', 'B', 'C', 'D', 'G', 'F'];

/** The results of the harness for one workload of one peer. Each workload has some of them. */
interface Result {
  readonly failed?: string;
  readonly otherCores: number;
  readonly early?: number;
  readonly missing?: number;
  readonly duplicates?: number;
  readonly createdLateMs?: number;
  readonly p50?: number;
  readonly p99?: number;
  readonly max?: number;
  readonly perSecond?: number;
  readonly workerCpuMsPerJob?: number;
  readonly storeCpuMsPerJob?: number;
  readonly restarted?: number;
  readonly count?: number;
  readonly lastSeconds?: number;
}
type Figure = (result: Result) => number | undefined;

const DISTURBED_CORES = 0.25;
const lastOfAll: Figure = (r) => (r.restarted === r.count ? r.lastSeconds : undefined);
const late = (key: string, title: string): [string, string, Figure][] => [
  [`${title}: lateness p50, ms`, key, (r) => r.p50],
  [`${title}: p99, ms`, key, (r) => r.p99],
];
const FIGURES: [title: string, key: string, figure: Figure][] = [
  ...late('A50', 'one-time, 50/s'),
  ...late('A250', 'one-time, 250/s'),
  ...late('A1000', 'one-time, 1,000/s'),
  ['burst at one instant: p50, ms', 'B', (r) => r.p50],
  ['burst at one instant: last, ms', 'B', (r) => r.max],
  ...late('G', '200 recurring every second'),
  ['drain of due jobs, jobs/s', 'C', (r) => r.perSecond],
  ['create in bulk, jobs/s', 'Dbulk', (r) => r.perSecond],
  ['create singly, 32 at a time, jobs/s', 'Dsingle', (r) => r.perSecond],
  ['worker CPU during the drain, ms/job', 'C', (r) => r.workerCpuMsPerJob],
  ['store CPU during the drain, ms/job', 'C', (r) => r.storeCpuMsPerJob],
  ['kill -9, defaults: all run again after, s', 'FcrashDefault', lastOfAll],
  ['kill -9, tuned: all run again after, s', 'FcrashTuned', lastOfAll],
];

type Results = Record<string, { version: string; store: string; results: Record<string, Result> }>;
type Stores = Record<string, { version: string; settings: Record<string, string> }>;
interface Written {
  readonly peers: Results;
  readonly stores: Stores;
}

export async function peers({ quick, engine, setupPeers }: Options): Promise<Report> {
  if (!existsSync(HARNESS)) return skipped(`there is no ${HARNESS}`);
  if (!existsSync(join(HOME, 'node_modules', 'node'))) {
    if (!setupPeers)
      return skipped(
        `nothing is installed in ${HOME}: run \`npm run bench -- peers --setup-peers\` (or ${join(HARNESS, 'setup.sh')}), which installs Redis, PostgreSQL and the npm packages`,
      );
    progress('peers: installing');
    await run('sh', [join(HARNESS, 'setup.sh')]);
  }
  const folder = mkdtempSync(join(tmpdir(), 'punctual-peers-run-'));
  try {
    cpSync(HARNESS, folder, { recursive: true });
    for (const path of [folder, join(folder, 'adapters')]) chmodSync(path, 0o755);
    const [subfolder, file] = engine === 'aws' ? ['aws', 'peer.ts'] : ['peers', 'punctual.ts'];
    const adapter = pathToFileURL(join(import.meta.dirname, subfolder, file)).href;
    writeFileSync(join(folder, 'adapters', 'punctual.mjs'), `export * from ${JSON.stringify(adapter)};\n`);
    const all: Results = {};
    const stores: Stores = {};
    for (const [index, workload] of WORKLOADS.entries()) {
      progress(`peers: workload ${workload}`);
      const out = join(folder, `${workload}.json`);
      // each round starts with another peer
      const first = index % PEERS.length;
      const only = [...PEERS.slice(first), ...PEERS.slice(0, first)].join(',');
      const args = ['--only', only, '--workloads', workload, '--out', out, ...(quick ? ['--quick'] : [])];
      await run(process.execPath, [join(folder, 'run.mjs'), ...args]);
      const { peers: found, stores: used } = JSON.parse(readFileSync(out, 'utf8')) as Written;
      Object.assign(stores, used);
      for (const [peer, { version, store, results }] of Object.entries(found))
        all[peer] = { version, store, results: { ...all[peer]?.results, ...results } };
    }
    return report(all, engine, stores);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs in a separate process group that ends with this process, because the harness starts servers and processes. */
async function run(command: string, args: readonly string[]): Promise<void> {
  // All peers get the Node flags of `npm start`.
  const env = { ...process.env, NODE_OPTIONS: process.execArgv.join(' ') };
  const child = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-4_000);
    const line = output.trimEnd().split('\n').at(-1) ?? '';
    progress(`peers: ${/^[\w-]+ \w+: [\d.]+ s/.exec(line)?.[0] ?? args.at(-1)}`);
  });
  const interrupted = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupted);
  const [code] = await once(child, 'close');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output}`);
}

const skipped = (why: string): Report => ({
  name: 'peers',
  command: 'npm run bench -- peers',
  tables: [],
  notes: [`Skipped: ${why}.`],
});

/** When an acknowledged write is on the disk. */
const ON_DISK: Readonly<Record<string, string>> = {
  redis: 'up to a second later: AOF, appendfsync everysec',
  postgres: 'before the answer: synchronous_commit',
  punctual: 'before the answer: an fsync for each commit',
};

function durabilityRow(peer: string, store: string, stores: Stores): string[] {
  const { version = '', settings = {} } = stores[store] ?? {};
  const given = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
  return [peer, `${store} ${version}`, ON_DISK[store] ?? '', given.join(', ')];
}

const shown = (value: number | undefined): string =>
  value === undefined || !Number.isFinite(value)
    ? '-'
    : value >= 100 || Number.isInteger(value)
      ? String(Math.round(value))
      : value.toPrecision(2);

function report(all: Results, engine: Engine, stores: Stores): Report {
  const others = PEERS.filter((peer) => peer !== 'punctual');
  const rows = FIGURES.map(([title, key, figure]) => {
    const figureOf = (peer: string) => {
      const result = all[peer]?.results[key];
      return result && !result.failed ? figure(result) : undefined;
    };
    const own = figureOf('punctual');
    const cells = PEERS.map((peer) => {
      const result = all[peer]?.results[key];
      if (result?.failed) return 'failed';
      return `${shown(figureOf(peer))}${(result?.otherCores ?? 0) > DISTURBED_CORES ? ' †' : ''}`;
    });
    const ratios = others.map((peer) => shown((own ?? Number.NaN) / (figureOf(peer) ?? Number.NaN)));
    return [title, ...cells, ...ratios];
  }).filter(([, ...cells]) => cells.some((text) => text !== '-'));
  const wrong = Object.entries(all).flatMap(([peer, { results }]) =>
    Object.entries(results).flatMap(([key, r]) => {
      const counts = Object.entries({
        early: r.early,
        missing: r.missing,
        duplicates: r.duplicates,
        'ms too late with creating': r.createdLateMs,
      }).flatMap(([word, n]) => (n ? [`${n} ${word}`] : []));
      return [...counts, ...(r.failed ? [`failed: ${r.failed}`] : [])].map(
        (text) => `${peer} ${key}: ${text}`,
      );
    }),
  );
  return {
    name: 'peers',
    command: commandOf('peers', engine),
    tables: [
      {
        title: 'Results, and on the right Punctual ÷ the other',
        columns: [
          '',
          ...PEERS.map((peer) => `${peer} ${all[peer]?.version ?? ''}`.trim()),
          ...others.map((peer) => `÷ ${peer}`),
        ],
        rows,
      },
      {
        title: 'Durability of an acknowledged write',
        columns: ['', 'store', 'a write is on the disk', 'settings'],
        rows: PEERS.map((peer) => durabilityRow(peer, all[peer]?.store ?? '', stores)),
      },
    ],
    notes: [
      'Workloads, settings of the others and how they are measured: `bench/peers/harness/README.md`. All Node processes run with --max-semi-space-size=32, as `npm start` does.',
      engine === 'aws'
        ? 'Punctual runs on dynoxide (on disk) and fauxqs, with a watcher and a worker in separate processes.'
        : 'Punctual is the process of `npm start` on SQLite. Its producer creates jobs over HTTP. The producers of the others write to their stores. The CPU of the worker includes the store, because they are one process.',
      ...wrong,
      `†: other programs used more than ${DISTURBED_CORES} cores meanwhile. "-": not reached, or no such feature.`,
    ],
    broken: wrong.filter((text) => /^punctual .* (early|missing|duplicates)/.test(text)),
  };
}
