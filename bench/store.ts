// The embedded store without a server: CPU of the calling thread and of the writer's thread for one execution (a read of the
// head, a claim, an end, an entry), and the time until a write is acknowledged.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dueKey } from '../src/domain/executions/ids.ts';
import type { Head } from '../src/domain/jobs/job.ts';
import { openSqliteStore, type SqliteStore } from '../src/store/sqlite/sqlite.ts';
import { aHead, anEntry, aRow, T0 } from '../test/support/fixtures.ts';
import { ascending, type Options, progress, type Report, rank } from './report.ts';

const JOBS = 20_000;
/** Concurrent executions. */
const CONCURRENCIES = [1, 32, 500];

interface Measured {
  readonly concurrency: number;
  readonly perSecond: number;
  readonly commits: number;
  readonly groupSize: number;
  readonly fsyncs: number;
  /** Time of one write in ms. */
  readonly p50: number;
  readonly p99: number;
  /** CPU per execution in µs. */
  readonly mainCpu: number;
  readonly writerCpu: number;
  readonly processCpu: number;
}

export async function store({ quick }: Options): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), 'punctual-bench-'));
  const file = join(folder, 'punctual.db');
  const opened = await openSqliteStore({ file, shards: 16, boot: { id: 'bench', at: Date.now() } });
  try {
    progress('store: creating jobs');
    const heads = Array.from({ length: quick ? JOBS / 4 : JOBS }, () => aHead({ userId: 'user-a' }));
    await Promise.all(heads.map((head) => opened.store.insertHead(head)));
    const measured: Measured[] = [];
    for (const [i, concurrency] of CONCURRENCIES.entries()) {
      progress(`store: ${concurrency} at once`);
      const count = Math.min(heads.length, concurrency * 1_000);
      measured.push(await measure(opened, heads, concurrency, count, T0 + i * 1_000));
    }
    const { synchronous } = await opened.stats();
    return report(measured, file, synchronous);
  } finally {
    await opened.close();
    rmSync(folder, { recursive: true });
  }
}

async function measure(
  { store, stats }: SqliteStore,
  heads: readonly Head[],
  concurrency: number,
  count: number,
  dueAt: number,
): Promise<Measured> {
  const due = dueKey(dueAt);
  const took: number[] = [];
  const timed = async <T>(write: Promise<T>): Promise<T> => {
    const began = performance.now();
    const done = await write;
    took.push(performance.now() - began);
    return done;
  };
  const execute = async ({ jobId, userId }: Head): Promise<void> => {
    const head = await store.readHead(jobId, { consistent: true });
    if (!head) throw new Error('a head is missing');
    const number = dueAt;
    const row = aRow({
      jobId,
      userId,
      due,
      number,
      revision: head.revision,
      status: 'RUNNING',
      leaseUntil: dueAt,
    });
    const lock = { seen: head, lock: { due, number }, coveredUntil: undefined };
    if ((await timed(store.claim({ seen: undefined, row, seat: undefined, lock }))) !== 'done')
      throw new Error('a claim was refused');
    const { leaseUntil: _, ...ended } = { ...row, status: 'SUCCEEDED' as const };
    const entry = anEntry({
      jobId,
      at: dueAt + 60_000,
      due: dueKey(dueAt + 60_000),
      revision: head.revision,
    });
    await Promise.all([
      timed(store.updateRow({ status: 'RUNNING', number }, ended)),
      timed(store.putEntries([entry])),
    ]);
  };

  const before = await stats();
  const main = process.threadCpuUsage();
  const all = process.cpuUsage();
  const began = performance.now();
  let next = 0;
  const lane = async () => {
    for (let head = heads[next++]; head && next <= count; head = heads[next++]) await execute(head);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const ms = performance.now() - began;
  const mainCpu = process.threadCpuUsage(main);
  const processCpu = process.cpuUsage(all);
  const after = await stats();
  const done = took.length / 3;
  const sorted = ascending(took);
  const commits = after.commits - before.commits;
  return {
    concurrency,
    perSecond: (done / ms) * 1_000,
    commits,
    groupSize: (after.writes - before.writes) / commits,
    // A commit syncs the -wal file, and a checkpoint syncs both files.
    fsyncs: commits + 2 * (after.checkpoints - before.checkpoints),
    p50: rank(sorted, 0.5),
    p99: rank(sorted, 0.99),
    mainCpu: (mainCpu.user + mainCpu.system) / done,
    writerCpu: (after.cpu - before.cpu) / done,
    processCpu: (processCpu.user + processCpu.system) / done,
  };
}

const report = (measured: readonly Measured[], file: string, synchronous: number): Report => ({
  name: 'The embedded store alone',
  command: 'npm run bench -- store',
  tables: [
    {
      title: 'Executions: one read, a claim, an end and an entry each',
      columns: [
        ...['at once', 'executions/s', 'commits', 'writes per commit', 'fsyncs'],
        ...['write p50, ms', 'p99', 'CPU per execution, µs: calling thread', 'writer', 'process'],
      ],
      rows: measured.map((m) => [
        ...[m.concurrency, Math.round(m.perSecond), m.commits, m.groupSize, m.fsyncs],
        ...[m.p50, m.p99, Math.round(m.mainCpu), Math.round(m.writerCpu), Math.round(m.processCpu)],
      ]),
    },
  ],
  notes: [
    `WAL, \`PRAGMA synchronous\` = ${synchronous} (2 is FULL: every commit is synced). The -wal file has ${Math.round(statSync(`${file}-wal`).size / 1e6)} MB at the end.`,
    'The calling thread also makes the values and keeps the times.',
  ],
});
