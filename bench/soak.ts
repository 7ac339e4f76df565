// Runs `npm start` for 20 minutes at 200 executions per second. Memory, the -wal file and file descriptors must not grow.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseFile } from '../src/local/data-folder-owner.ts';
import { temporaryFolder } from '../test/support/processes.ts';
import { startLocal } from './local-server.ts';
import { ascending, commandOf, type Options, progress, type Report, rank } from './report.ts';
import { createRest, idsOf, type Rest } from './system/rest.ts';

const FULL_SECONDS = 1_200;
const QUICK_SECONDS = 80;
const SAMPLE_EVERY_MS = 10_000;
/** Each of these runs every second, and as many one-time jobs are created every second. */
const JOBS_PER_SECOND = 100;
/** Relative to the time of the server, so that a late batch on a busy machine is still valid. */
const DUE_AFTER_SECONDS = 5;
const PAGE = 4_096;
const MB = 1_048_576;
/** The maximum growth from the second to the last quarter. The first quarter is the warm-up. */
const MAX_MEMORY_GROWTH = 1.2;
const MAX_NEW_DESCRIPTORS = 4;
/** The writer makes a checkpoint at 48 MB at the latest. */
const MAX_WAL_MB = 64;

interface Sample {
  readonly second: number;
  readonly rssMb: number;
  readonly walMb: number;
  readonly fileMb: number;
  readonly descriptors: number;
}

const noop = (schedule: Record<string, string>) => ({ task: 'noop', schedule });

function sampleOf(pid: number, file: string, second: number): Sample {
  const [, rss = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  const sizeOf = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / MB;
  return {
    second,
    rssMb: (Number(rss) * PAGE) / MB,
    walMb: sizeOf(`${file}-wal`),
    fileMb: sizeOf(file),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** Creates the one-time jobs of each second, until the time is over. Returns their number. */
async function produce(rest: Rest, until: number): Promise<number> {
  let created = 0;
  for (let next = Date.now(); Date.now() < until; next += 1_000) {
    await sleep(Math.max(0, next - Date.now()));
    created += idsOf(
      await rest.createBatches(
        Array.from({ length: JOBS_PER_SECOND }, () => noop({ in: `PT${DUE_AFTER_SECONDS}S` })),
      ),
    ).length;
  }
  return created;
}

const median = (values: readonly number[]): number => rank(ascending(values), 0.5);

/** One phrase for each measure that has grown. An empty list means that all measures are flat. */
export function growthOf(samples: readonly Sample[]): string[] {
  const quarter = (n: number) =>
    samples.slice(Math.floor((samples.length * n) / 4), Math.floor((samples.length * (n + 1)) / 4));
  const of = (n: number, what: keyof Sample) => median(quarter(n).map((sample) => sample[what]));
  const memory = of(3, 'rssMb') / of(1, 'rssMb');
  const descriptors = of(3, 'descriptors') - of(1, 'descriptors');
  const wal = Math.max(...samples.map(({ walMb }) => walMb));
  return [
    ...(memory > MAX_MEMORY_GROWTH ? [`memory grew by the factor ${memory.toFixed(2)}`] : []),
    ...(descriptors > MAX_NEW_DESCRIPTORS ? [`${descriptors} more file descriptors are open`] : []),
    ...(wal > MAX_WAL_MB ? [`the -wal file had ${wal.toFixed(0)} MB`] : []),
  ];
}

export async function soak({ quick, engine }: Options): Promise<Report> {
  if (engine !== 'embedded') throw new Error('soak measures the embedded server alone');
  const seconds = quick ? QUICK_SECONDS : FULL_SECONDS;
  const folder = temporaryFolder();
  const file = databaseFile(folder.path);
  const server = await startLocal(folder.path, engine);
  const rest = await createRest(server.url, folder.path);
  try {
    const recurring = Array.from({ length: JOBS_PER_SECOND }, () => noop({ cron: '* * * * * *' }));
    idsOf(await rest.createBatches(recurring));
    const began = Date.now();
    const until = began + seconds * 1_000;
    const samples: Sample[] = [];
    const sampling = setInterval(() => {
      samples.push(sampleOf(server.pid, file, Math.round((Date.now() - began) / 1_000)));
      progress(`soak: ${JSON.stringify(samples.at(-1))}`);
    }, SAMPLE_EVERY_MS);
    const created = await produce(rest, until).finally(() => clearInterval(sampling));
    await sleep((DUE_AFTER_SECONDS + 2) * 1_000);
    const { ended, failed, late } = endsIn(file);
    const grown = growthOf(samples);
    const expected = created + JOBS_PER_SECOND * seconds;
    return {
      name: 'soak',
      command: commandOf('soak', engine),
      tables: [
        {
          title: `${2 * JOBS_PER_SECOND} executions per second for ${seconds} s: ${grown.length === 0 ? 'flat' : 'not flat'}`,
          columns: ['second', 'memory, MB', '-wal, MB', 'database, MB', 'file descriptors'],
          rows: samples.map((one) => [one.second, one.rssMb, one.walMb, one.fileMb, one.descriptors]),
        },
        {
          title: 'Executions',
          columns: ['expected, about', 'succeeded', 'others', 'lateness p50, ms', 'p99', 'max'],
          rows: [[expected, ended, failed, rank(late, 0.5), rank(late, 0.99), late.at(-1) ?? 0]],
        },
      ],
      notes: [
        `Flat: the median memory of the last quarter is at most ${MAX_MEMORY_GROWTH} times that of the second, at most ${MAX_NEW_DESCRIPTORS} more file descriptors, and never a -wal file over ${MAX_WAL_MB} MB.`,
        'The database grows because history is kept for 90 days.',
      ],
      broken: [
        ...grown,
        ...(ended < expected * 0.98 ? [`${ended} of about ${expected} executions succeeded`] : []),
      ],
    };
  } finally {
    await rest.close();
    await server.stop();
    folder.remove();
  }
}

function endsIn(file: string): { ended: number; failed: number; late: number[] } {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db
    .prepare("SELECT status, due, json_extract(record, '$.startedAt') AS at FROM executions")
    .all();
  db.close();
  const succeeded = rows.filter(({ status }) => status === 'SUCCEEDED');
  const late = ascending(succeeded.map(({ at, due }) => Number(at) - Number.parseInt(String(due), 10)));
  return { ended: succeeded.length, failed: rows.length - succeeded.length, late };
}
