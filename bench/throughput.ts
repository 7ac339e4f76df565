// The throughput of an embedded server: jobs created over HTTP per second, and jobs run per second when all are due.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { forEachLimit } from '../src/concurrency/map-limit.ts';
import { MINUTE } from '../src/domain/executions/slots.ts';
import { commandOf, type Options, progress, type Report } from './report.ts';
import {
  DURABILITY_COLUMNS,
  type Durability,
  durabilityCells,
  durabilityNote,
  durabilityOf,
} from './system/durability.ts';
import { type Counts, type Embedded, inEmbedded } from './system/embedded.ts';
import { idsOf } from './system/rest.ts';
import { onceAt, type Spec } from './system/specs.ts';
import { firstStarts } from './system/starts.ts';
import { until } from './system/until.ts';

const CONCURRENT_CREATES = 32;
/** Due later than what a writer dispatches itself, so that only creating is measured. */
const FAR_MS = 30 * MINUTE;
const WARM_UP = 1_000;
const DRAIN_TIMEOUT_MS = 120_000;

export interface Measured {
  readonly name: string;
  readonly count: number;
  readonly ms: number;
  /** CPU of the server's process per job, in ms. */
  readonly cpu: { readonly process: number; readonly main: number; readonly writer: number };
  readonly durability: Durability;
  readonly note?: string | undefined;
}

export async function measure(
  { counts }: Embedded,
  name: string,
  count: number,
  body: () => Promise<string | undefined>,
): Promise<Measured> {
  progress(name);
  const before = await counts();
  const began = performance.now();
  const note = await body();
  const ms = performance.now() - began;
  const after = await counts();
  const per = (of: (counts: Counts) => number) => (of(after) - of(before)) / count;
  return {
    name,
    count,
    ms,
    cpu: {
      process: per((c) => c.processCpuMs),
      main: per((c) => c.mainCpuMs),
      writer: per((c) => c.cpu / 1000),
    },
    durability: durabilityOf(after, before),
    note,
  };
}

async function createSingly({ rest }: Embedded, count: number): Promise<undefined> {
  const spec = onceAt(Date.now() + FAR_MS);
  await forEachLimit(Array.from({ length: count }), CONCURRENT_CREATES, async () => {
    idsOf([await rest.createOne(spec)]);
  });
}

async function createBatches({ rest }: Embedded, count: number): Promise<undefined> {
  idsOf(await rest.createBatches(Array<Spec>(count).fill(onceAt(Date.now() + FAR_MS))));
}

/** The worker receives nothing while jobs are created. Measures from its first receive until the last end is on the disk. */
export const drain = (count: number, settings: Record<string, string> = {}): Promise<Measured> =>
  inEmbedded({ closed: true, settings }, async (server) => {
    progress(`creating ${count} jobs to drain`);
    idsOf(await server.rest.createBatches(Array<Spec>(count).fill({ task: 'bench' })));
    await sleep(1_000);
    return measure(server, `drain of ${count} due jobs`, count, async () => {
      await server.openInbox();
      const deadline = Date.now() + DRAIN_TIMEOUT_MS;
      await until(deadline, async () => (await server.counts()).ended >= count);
      const starts = server.starts();
      const ran = firstStarts(starts).size;
      const wrong = [
        ...(ran < count ? [`${count - ran} missing`] : []),
        ...(starts.length > ran ? [`${starts.length - ran} duplicates`] : []),
      ];
      return wrong.length > 0 ? wrong.join(', ') : undefined;
    });
  });

export const jobsPerSecond = ({ count, ms }: Measured): number => Math.round((count / ms) * 1000);

export async function throughput({ quick, engine }: Options): Promise<Report> {
  const [singly, batched, drained] = quick ? [1_000, 4_000, 4_000] : [10_000, 20_000, 20_000];
  const results = await inEmbedded({}, async (server) => {
    await createSingly(server, WARM_UP);
    await createBatches(server, WARM_UP);
    return [
      await measure(server, `create singly, ${CONCURRENT_CREATES} at a time`, singly, () =>
        createSingly(server, singly),
      ),
      await measure(server, 'create in batches of 100', batched, () => createBatches(server, batched)),
    ];
  });
  results.push(await drain(drained));
  const [first] = results;
  return {
    name: 'throughput',
    command: commandOf('throughput', engine),
    tables: [
      {
        title: 'Jobs a second',
        columns: [
          ...['', 'jobs', 'jobs/s', 'CPU ms/job', 'of it requests and tasks', 'writer'],
          ...DURABILITY_COLUMNS,
        ],
        rows: results.map((r) => [
          ...[r.note ? `${r.name} (${r.note})` : r.name, r.count, jobsPerSecond(r)],
          ...[r.cpu.process, r.cpu.main, r.cpu.writer].map((ms) => ms.toFixed(3)),
          ...durabilityCells(r.durability),
        ]),
      },
    ],
    notes: [
      'The server is one process, as `npm start` runs it. Its CPU includes API, worker and store. The producer is another process of this machine and calls the API.',
      'A drain is counted from the first receive until the end of the last job is on the disk. In it the producer only looks on.',
      'CPU that is neither of the two threads is garbage collection and compilation, which Node does in threads of its own.',
      ...(first ? [durabilityNote(first.durability)] : []),
    ],
    broken: results.flatMap(({ name, note }) => (note ? [`${name}: ${note}`] : [])),
  };
}
