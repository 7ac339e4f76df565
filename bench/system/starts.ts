// The starts that the task `bench` has recorded, and their lateness.
import { readFileSync } from 'node:fs';
import { ascending, rank } from '../report.ts';

/** The environment variable with the file of the recorded starts. */
export const STARTS_VARIABLE = 'PUNCTUAL_BENCH_STARTS';

export interface Start {
  readonly jobId: string;
  readonly due: number;
  readonly at: number;
  readonly pid: number;
}

export const keyOf = ({ jobId, due }: Pick<Start, 'jobId' | 'due'>): string => `${jobId}.${due}`;

/** Reads the complete lines. An incomplete last line is read the next time. */
export function readStarts(file: string): Start[] {
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Start]));
}

/** The first start of each execution. */
export function firstStarts(starts: readonly Start[]): Map<string, Start> {
  const first = new Map<string, Start>();
  for (const start of starts) {
    const before = first.get(keyOf(start));
    if (!before || start.at < before.at) first.set(keyOf(start), start);
  }
  return first;
}

export interface Late {
  readonly early: number;
  readonly missing: number;
  readonly duplicates: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export function latenessOf(starts: readonly Start[], expected: number): Late {
  const first = firstStarts(starts);
  const late = ascending([...first.values()].map(({ at, due }) => at - due));
  return {
    early: late.filter((ms) => ms < 0).length,
    missing: expected - first.size,
    duplicates: starts.length - first.size,
    p50: rank(late, 0.5),
    p90: rank(late, 0.9),
    p99: rank(late, 0.99),
    max: rank(late, 1),
  };
}
