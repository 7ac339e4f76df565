// The figures that the model calculates with, each with where it comes from: a limit, a measurement, or an assumption.
import { readFileSync } from 'node:fs';
import { LIMITS } from '../../tools/capacity.ts';
import type { Report } from '../report.ts';

export interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly source: string;
}

const RESULTS = new URL('../results/', import.meta.url);

/** A cell of the last results of a benchmark, or what FACTS.md says where there are none. */
function measured(
  bench: string,
  table: RegExp,
  row: string | 'last',
  column: string,
  unit: string,
  otherwise: { value: number; source: string },
): Figure {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(new URL(`${bench}.json`, RESULTS), 'utf8')) as Report;
  } catch {
    return { ...otherwise, unit };
  }
  const found = report.tables.find(({ title }) => table.test(title));
  const cells = row === 'last' ? found?.rows.at(-1) : found?.rows.find(([name]) => name === row);
  const value = Number(cells?.[found?.columns.indexOf(column) ?? -1]);
  return Number.isFinite(value) && value > 0
    ? { value, unit, source: `bench/results/${bench}.json` }
    : { ...otherwise, unit };
}

const fact = (value: number, unit: string): Figure => ({ value, unit, source: 'FACTS.md' });
const assumed = (value: number, unit: string): Figure => ({ value, unit, source: 'assumed' });

export const FIGURES = {
  'a partition, writes': fact(LIMITS.partitionWrites, 'units/s'),
  'a partition, reads': fact(3_000, 'units/s'),
  'a queue, in flight': fact(LIMITS.queueInFlight, 'messages'),
  'the HTTP API': fact(10_000, 'requests/s'),
  'a vCPU of Lambda': { value: 1_769, unit: 'MB', source: "AWS's documentation" },

  'CPU of one call': fact(0.85, 'ms'),
  'CPU of one statement more in a batch': fact(0.018, 'ms'),
  'CPU of one item more in a batch of reads': fact(0.027, 'ms'),
  'CPU of a receive or a delete of ten': fact(0.82, 'ms'),
  'CPU of an entry, dispatch': measured('growth', /^Dispatch of one slot/, 'last', 'CPU ms', 'ms', {
    value: 0.23,
    source: 'FACTS.md: query, batch get, batch write, send',
  }),
  'CPU of an entry, settle': measured('growth', /^The rest of a pass/, 'settle', 'CPU ms', 'ms', {
    value: 0.054,
    source: 'FACTS.md: query, batch get',
  }),
  'CPU of an entry, forecast': measured('growth', /^The rest of a pass/, 'forecast', 'CPU ms', 'ms', {
    value: 0.027,
    source: 'FACTS.md: query',
  }),
  'read units of an entry in its slot': measured(
    'growth',
    /^The rest of a pass/,
    'forecast',
    'RRU',
    'units',
    {
      value: 0.03,
      source: 'src/store/timetable.ts',
    },
  ),

  'DynamoDB answers, median': assumed(4, 'ms'),
  'DynamoDB answers, p99': assumed(15, 'ms'),
  'SQS answers, median': assumed(8, 'ms'),
  'SQS answers, p99': assumed(40, 'ms'),
  'SQS delivers late by, mean': assumed(50, 'ms'),
} as const satisfies Record<string, Figure>;

export const figure = (name: keyof typeof FIGURES): number => FIGURES[name].value;
