// What a benchmark says, and how it is written down.

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
}

const cell = (value: string | number): string =>
  typeof value === 'number' ? (Number.isInteger(value) ? String(value) : value.toFixed(2)) : value;

export function toMarkdown(report: Report, machine: string, seconds: number): string {
  const tables = report.tables.map(({ title, columns, rows }) =>
    [
      `### ${title}`,
      '',
      `| ${columns.join(' | ')} |`,
      `| ${columns.map((_, i) => (i === 0 ? '---' : '---:')).join(' | ')} |`,
      ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
    ].join('\n'),
  );
  const notes = report.notes.map((note) => `- ${note}`).join('\n');
  return `## ${report.name}\n\n\`${report.command}\` in ${seconds} s on ${machine}\n\n${tables.join('\n\n')}\n\n${notes}\n`;
}

/** Rewrites one line on a terminal; prints nothing into a pipe. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
