// Fairness among tenants: the lateness of one tenant with 20 jobs a second, alone and beside each flood of another tenant.
import { setTimeout as sleep } from 'node:timers/promises';
import { ascending, commandOf, type Options, progress, type Report, rank } from './report.ts';
import { inEmbedded } from './system/embedded.ts';
import { createRest, idsOf } from './system/rest.ts';
import { EVERY_SECOND, onceAt, type Spec } from './system/specs.ts';
import { firstStarts, keyOf } from './system/starts.ts';
import { until } from './system/until.ts';

const PER_SECOND = 20;
const WARM_UP = 400;
const TIMEOUT_MS = 60_000;
/** The flood begins this long before the measured window. */
const LEAD_MS = 3_000;
/** The aim for the p99 beside a flood: this many times the p99 alone, or MAX_P99_MS. */
const MAX_RATIO = 3;
const MAX_P99_MS = 250;

/** The window in which the quiet tenant is measured. */
interface Window {
  readonly from: number;
  readonly ms: number;
}

interface Flood {
  readonly name: string;
  readonly jobs: number;
  /** The time between the creates and the window. The first minutes of a recurring job are planned when it is created. */
  readonly catchUpMs?: number;
  spec(window: Window): Spec;
}

interface Measured {
  readonly name: string;
  readonly executions: number;
  readonly missing: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Starts of the flood within the window. */
  readonly flood: number;
}

const floods = (quick: boolean): readonly Flood[] => [
  { name: 'alone', jobs: 0, spec: () => ({}) },
  {
    name: '100 sleepers',
    jobs: 100,
    spec: ({ from, ms }) => onceAt(from - LEAD_MS, { hold: LEAD_MS + 2 * ms }),
  },
  {
    name: `${quick ? 100 : 500} jobs every second`,
    jobs: quick ? 100 : 500,
    catchUpMs: 20_000,
    spec: () => EVERY_SECOND,
  },
  {
    name: `${quick ? 3_000 : 10_000} jobs at one instant`,
    jobs: quick ? 3_000 : 10_000,
    spec: ({ from, ms }) => onceAt(from + ms / 4),
  },
];

/** A fresh server, the quiet tenant, and the flood of another tenant. */
function measured({ name, jobs, catchUpMs = 0, spec }: Flood, windowMs: number): Promise<Measured> {
  progress(`fair: ${name}`);
  return inEmbedded({}, async (server) => {
    const noisy = await createRest(server.url, server.folder, 'noisy');
    try {
      const warmUp = Array<Spec>(WARM_UP).fill({ task: 'bench', schedule: { in: 'PT2S' } });
      const began = Date.now();
      await noisy.createBatches(warmUp);
      const msPerJob = (Date.now() - began) / WARM_UP;
      const warm = () => server.starts().length >= WARM_UP;
      if (!(await until(Date.now() + TIMEOUT_MS, warm))) throw new Error('the warm-up does not end');
      const count = Math.round((windowMs / 1_000) * PER_SECOND);
      const window = {
        from: Date.now() + 2 * msPerJob * (jobs + count) + 2 * LEAD_MS + catchUpMs,
        ms: windowMs,
      };
      const dues = Array.from({ length: count }, (_, i) => Math.floor(window.from + (i * windowMs) / count));
      const ids = idsOf(await server.rest.createBatches(dues.map((due) => onceAt(due))));
      const flooding = new Set(idsOf(await noisy.createBatches(Array<Spec>(jobs).fill(spec(window)))));
      if (Date.now() > window.from - LEAD_MS) throw new Error('the jobs were not created in time');
      const expected = new Set(ids.map((jobId, i) => keyOf({ jobId, due: dues[i] ?? 0 })));
      const found = () => server.starts().filter((start) => expected.has(keyOf(start)));
      const end = window.from + windowMs;
      await sleep(end - Date.now());
      await until(end + TIMEOUT_MS, async () => {
        await sleep(200); // reading the file must not disturb the measurement
        return firstStarts(found()).size === expected.size;
      });
      const late = ascending([...firstStarts(found()).values()].map(({ at, due }) => at - due));
      const isInWindow = (at: number) => at >= window.from && at < end;
      return {
        ...{ name, executions: expected.size, missing: expected.size - late.length },
        ...{ p50: rank(late, 0.5), p99: rank(late, 0.99), max: rank(late, 1) },
        flood: server.starts().filter(({ jobId, at }) => flooding.has(jobId) && isInWindow(at)).length,
      };
    } finally {
      await noisy.close();
    }
  });
}

export async function fair({ quick, engine }: Options): Promise<Report> {
  const results: Measured[] = [];
  for (const flood of floods(quick)) results.push(await measured(flood, quick ? 6_000 : 20_000));
  const alone = results[0]?.p99 ?? Number.NaN;
  const limit = Math.max(MAX_P99_MS, MAX_RATIO * alone);
  return {
    name: 'fair',
    command: commandOf('fair', engine),
    tables: [
      {
        title: 'Lateness of a tenant with 20 jobs a second, ms',
        columns: [
          'beside',
          'executions',
          'missing',
          'p50',
          'p99',
          'max',
          'p99 to alone',
          'starts of the flood meanwhile',
        ],
        rows: results.map((r) => [
          ...[r.name, r.executions, r.missing, r.p50, r.p99, r.max],
          `${(r.p99 / Math.max(1, alone)).toFixed(1)} ×`,
          r.flood,
        ]),
      },
    ],
    notes: [
      'A fresh embedded server for each line, with the default of 100 places and a share of 0.8 for one owner. Warmed up.',
      'The flood belongs to another tenant. Sleepers begin before the window and end after it. The instant is a quarter into the window.',
      'Jobs every second are created 20 s before the window, which leaves out the planning of their first minutes.',
      `The aim for p99: within ${MAX_RATIO} times the p99 alone, or ${MAX_P99_MS} ms. Here: ${Math.round(limit)} ms, ${results.every(({ p99 }) => p99 <= limit) ? 'reached' : 'missed'}.`,
    ],
    broken: results
      .filter(({ missing }) => missing > 0)
      .map(({ name, missing }) => `beside ${name}: ${missing} executions did not start`),
  };
}
