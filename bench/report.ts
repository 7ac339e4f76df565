// The report of a benchmark, and its progress on the terminal.
import type { Conditions } from './conditions.ts';

/** `aws` is the AWS path on dynoxide and fauxqs, as `npm run start:aws` runs it. */
export const ENGINES = ['embedded', 'aws'] as const;
export type Engine = (typeof ENGINES)[number];

export interface Options {
  /** True for smaller and less exact runs. */
  readonly quick: boolean;
  readonly engine: Engine;
  /** True if missing packages of the peers may be installed. */
  readonly setupPeers: boolean;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export interface Report {
  readonly name: string;
  /** The command that produces this report. */
  readonly command: string;
  readonly tables: readonly Table[];
  readonly notes: readonly string[];
  /** A sentence for each violated guarantee. If there is one, the command fails. */
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

/** The percentile `p` of sorted values (nearest rank). */
export const rank = (sorted: readonly number[], p: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)] ?? Number.NaN;

export const ascending = (values: Iterable<number>): number[] => [...values].sort((a, b) => a - b);

const EVERY_MS = 15_000;
let doing = '';

/** Shows the current step. '' clears it. */
export function progress(text: string): void {
  doing = text;
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** Shows the progress of a benchmark. Returns a function that stops it. */
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
