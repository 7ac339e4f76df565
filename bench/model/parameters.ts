// The figures of the model, each with its source: a limit, a measurement or an assumption.
import { readFileSync } from 'node:fs';
import { LIMITS } from '../../tools/capacity.ts';
import type { Report } from '../report.ts';

export interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly source: string;
}

const RESULTS = new URL('../results/', import.meta.url);

interface Cell {
  readonly bench: string;
  readonly table: RegExp;
  readonly row: RegExp | 'last';
  readonly column: string;
}

/** The value of a cell in the last results of a benchmark. Undefined if there is none. */
function cellOf({ bench, table, row, column }: Cell): number | undefined {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(new URL(`${bench}.json`, RESULTS), 'utf8')) as Report;
  } catch {
    return undefined;
  }
  const found = report.tables.find(({ title }) => table.test(title));
  const cells = row === 'last' ? found?.rows.at(-1) : found?.rows.find(([name]) => row.test(String(name)));
  const value = Number(cells?.[found?.columns.indexOf(column) ?? -1]);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

/** The first of these cells that has a value, or else `otherwise`. */
function measured(
  cells: readonly Cell[],
  unit: string,
  otherwise: { value: number; source: string },
): Figure {
  for (const cell of cells) {
    const value = cellOf(cell);
    if (value !== undefined) return { value, unit, source: `bench/results/${cell.bench}.json` };
  }
  return { ...otherwise, unit };
}

const fact = (value: number, unit: string): Figure => ({ value, unit, source: 'docs/facts.md' });
const assumed = (value: number, unit: string): Figure => ({ value, unit, source: 'assumed' });

const process = (row: RegExp): Cell => ({
  bench: 'cpu-aws',
  table: /^One process/,
  row,
  column: 'CPU ms each',
});
const slot = (row: RegExp, column = 'CPU ms'): Cell => ({
  bench: 'growth',
  table: /^The rest of a pass/,
  row,
  column,
});
const largest: Cell = { bench: 'growth', table: /^Dispatch of one slot/, row: 'last', column: 'CPU ms' };

/** The calls of an execution: three reads and three writes. */
const CALLS = 6;
/** CPU milliseconds of one statement in a full batch, and of one message in a receive and a delete of ten. */
const STATEMENT = 0.052;
const MESSAGE = 0.164;
const alone = measured([process(/^worker, each call alone/)], 'ms', {
  value: CALLS * 0.85 + MESSAGE + 0.1,
  source: 'docs/facts.md, and 0.1 ms assumed for the rest',
});
const grouped = measured([process(/^worker, group commit/)], 'ms', {
  value: CALLS * STATEMENT + MESSAGE + 0.1,
  source: 'docs/facts.md, and 0.1 ms assumed for the rest',
});

export const FIGURES = {
  'a partition, writes': fact(LIMITS.partitionWrites, 'units/s'),
  'a partition, reads': fact(3_000, 'units/s'),
  'a queue, in flight': fact(LIMITS.queueInFlight, 'messages'),
  'the HTTP API': fact(10_000, 'requests/s'),
  'a vCPU of Lambda': { value: 1_769, unit: 'MB', source: "AWS's documentation" },

  'CPU of one call': {
    value: (alone.value - grouped.value) / CALLS + STATEMENT,
    unit: 'ms',
    source: alone.source,
  },
  'CPU of an execution beside its calls': {
    value: Math.max(0, grouped.value - CALLS * STATEMENT - MESSAGE),
    unit: 'ms',
    source: grouped.source,
  },
  'CPU of one statement more in a batch': fact(0.018, 'ms'),
  'CPU of one item more in a batch of reads': fact(0.027, 'ms'),
  'CPU of a receive or a delete of ten': fact((MESSAGE * 10) / 2, 'ms'),
  'CPU of an entry, dispatch': measured([process(/^watcher, dispatch/), largest], 'ms', {
    value: 0.23,
    source: 'docs/facts.md: query, batch get, batch write, send',
  }),
  'CPU of an entry, settle': measured([process(/^watcher, settle/), slot(/^settle/)], 'ms', {
    value: 0.054,
    source: 'docs/facts.md: query, batch get',
  }),
  'CPU of an entry, forecast': measured([slot(/^forecast/)], 'ms', {
    value: 0.027,
    source: 'docs/facts.md: query',
  }),
  'memory of a watcher at rest': measured([{ ...largest, row: /^100$/, column: 'peak memory, MB' }], 'MB', {
    value: 270,
    source: 'bench growth, on a busy machine',
  }),
  'memory of a slot of 100,000 entries': measured(
    [{ ...largest, row: /^100,000$/, column: 'peak memory, MB' }],
    'MB',
    { value: 950, source: 'bench growth, on a busy machine' },
  ),
  'read units of an entry in its slot': measured([slot(/^forecast/, 'RRU')], 'units', {
    value: 0.03,
    source: 'src/store/dynamodb/timetable.ts',
  }),

  'DynamoDB latency, median': assumed(4, 'ms'),
  'DynamoDB latency, p99': assumed(15, 'ms'),
  'SQS latency, median': assumed(8, 'ms'),
  'SQS latency, p99': assumed(40, 'ms'),
  'SQS delivery delay, mean': assumed(50, 'ms'),
} as const satisfies Record<string, Figure>;

export const figure = (name: keyof typeof FIGURES): number => FIGURES[name].value;
