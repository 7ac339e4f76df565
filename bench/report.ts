// What a benchmark says, while it runs and at the end, and how it is written down.
import type { Conditions } from './conditions.ts';

/** `aws`: dynoxide and fauxqs, as `npm run start:aws` has them. */
export const ENGINES = ['embedded', 'aws'] as const;
export type Engine = (typeof ENGINES)[number];

export interface Options {
  /** Smaller and less exact. */
  readonly quick: boolean;
  readonly engine: Engine;
  /** Whether what the peers need may be installed. */
  readonly setupPeers: boolean;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface Report {
  readonly name: string;
  /** The command that makes these figures. */
  readonly command: string;
  readonly tables: readonly Table[];
  readonly notes: readonly string[];
  /** What must not happen at all and did, in words: the command fails. */
  readonly broken?: readonly string[];
}

const cell = (value: string | number): string =>
  typeof value === 'number' ? (Number.isInteger(value) ? String(value) : value.toFixed(2)) : value;

export function toMarkdown(report: Report, conditions: Conditions, seconds: number): string {
  const { machine, node, engines, startedAt, loadAverage } = conditions;
  const tables = report.tables.map(({ title, columns, rows }) =>
    [
      `### ${title}`,
      '',
      `| ${columns.join(' | ')} |`,
      `| ${columns.map((_, i) => (i === 0 ? '---' : '---:')).join(' | ')} |`,
      ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
    ].join('\n'),
  );
  const where = `${machine}, Node ${node}, ${engines}; ${startedAt.toISOString()}, load average before it ${loadAverage}`;
  const notes = report.notes.map((note) => `- ${note}`).join('\n');
  return `## ${report.name}\n\n\`${report.command}\` in ${seconds} s on ${where}\n\n${tables.join('\n\n')}\n\n${notes}\n`;
}

/** The value that a share `p` of the sorted values does not exceed (nearest rank). */
export const rank = (sorted: readonly number[], p: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)] ?? Number.NaN;

export const ascending = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b);

const EVERY_MS = 15_000;
let doing = '';

/** Says what is under way; '' when it is over. */
export function progress(text: string): void {
  doing = text;
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** Tells of the benchmark while it runs; returns what ends that. */
export function startProgress(name: string): () => void {
  const began = Date.now();
  doing = name;
  const tell = () => {
    const text = `${doing || name} (${Math.round((Date.now() - began) / 1000)} s)`;
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  };
  tell();
  const timer = setInterval(tell, process.stderr.isTTY ? 1000 : EVERY_MS);
  return () => {
    clearInterval(timer);
    progress('');
  };
}

export const commandOf = (name: string, engine: Engine): string =>
  `npm run bench -- ${name}${engine === 'aws' ? ' --engine aws' : ''}`;
