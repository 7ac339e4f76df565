// The report of the benchmark growth, and the check that units per item do not grow.
import type { Used } from './growth-pass.ts';
import type { Units } from './metered.ts';
import type { Report } from './report.ts';

/** The entries of the minute that is dispatched at every size of the tables. */
export const DISPATCHED = 100;
export const PAGE = 100;
/** The entries of the minute on which settle and the forecast are measured. */
export const WATCHED = 10_000;

export interface Grown {
  readonly jobs: number;
  readonly dispatch: Used;
  readonly page: Used;
  readonly create: Used;
}

export interface Large {
  readonly entries: number;
  readonly dispatch: Used;
}

export const formatCount = (n: number): string => n.toLocaleString('en-US');

/** The units of the first page of a slot are rounded up, so small slots may differ slightly. */
const ROUNDING = 1.02;

function grewDearer(what: string, sizes: readonly Units[]): string[] {
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (!first || !last) return [];
  return (['write', 'read', 'requests'] as const)
    .filter((unit) => last[unit] > first[unit] * ROUNDING)
    .map((unit) => `${what}: ${unit} units grew from ${first[unit]} to ${last[unit]}`);
}

const perEntry = ({ write, read, requests }: Units, entries: number): Units => ({
  write: write / entries,
  read: read / entries,
  requests: requests / entries,
});

export function report(
  grown: readonly Grown[],
  large: readonly Large[],
  settle: Used,
  forecast: Used,
): Report {
  const per = ({ write, read, requests, ms, cpuMs }: Used, count: number) =>
    [write, read, requests, ms, cpuMs].map((n) => (n / count).toFixed(3));
  const grew = [
    ...grewDearer(
      'dispatch',
      grown.map((g) => g.dispatch),
    ),
    ...grewDearer(
      'a page',
      grown.map((g) => g.page),
    ),
    ...grewDearer(
      'a create',
      grown.map((g) => g.create),
    ),
    ...grewDearer(
      'an entry',
      large.map(({ entries, dispatch }) => perEntry(dispatch, entries)),
    ),
  ];
  const perUnit = ['WRU', 'RRU', 'SQS requests', 'ms', 'CPU ms'];
  const ofTables = (what: 'page' | 'create') =>
    grown.map((g) => [formatCount(g.jobs), ...per(g[what], 1).toSpliced(2, 1)]);
  return {
    name: 'growth',
    command: 'npm run bench -- growth',
    tables: [
      {
        title: `Dispatch of a minute with ${DISPATCHED} entries, per entry, by jobs in the tables`,
        columns: ['jobs', ...perUnit],
        rows: grown.map((g) => [formatCount(g.jobs), ...per(g.dispatch, DISPATCHED)]),
      },
      {
        title: 'Dispatch of one slot, per entry, by its entries',
        columns: ['entries', ...perUnit, 'peak memory, MB'],
        rows: large.map(({ entries, dispatch }) => [
          formatCount(entries),
          ...per(dispatch, entries),
          Math.round(dispatch.peakMb),
        ]),
      },
      {
        title: `The rest of a pass, per entry, on a slot with ${formatCount(WATCHED)}`,
        columns: ['work', ...perUnit],
        rows: [
          ['settle', ...per(settle, WATCHED)],
          ['forecast', ...per(forecast, WATCHED)],
        ],
      },
      {
        title: `The first page of ${PAGE} jobs, by jobs in the tables`,
        columns: ['jobs', ...perUnit.toSpliced(2, 1)],
        rows: ofTables('page'),
      },
      {
        title: 'One create, by jobs in the tables',
        columns: ['jobs', ...perUnit.toSpliced(2, 1)],
        rows: ofTables('create'),
      },
    ],
    notes: [
      'All jobs belong to one user and one shard. Jobs that are not due are spread over the minutes of a day.',
      'Passes run in a separate process: CPU and memory are those of a watcher, without the engines. A slot is in memory as a whole.',
      'Units must not grow from line to line. Time and CPU vary with the machine.',
    ],
    broken: grew,
  };
}
