// The result of an import: jobs, and a report of everything that is not carried over.
import { Document, isMap, isPair, isScalar, visit } from 'yaml';
import type { FileJob } from '../jobs-file/file-schema.ts';
import type { Note } from './fields.ts';

export interface ImportedJob {
  readonly name: string;
  readonly job: FileJob;
  /** A comment above the job. */
  readonly comment?: string;
}

export interface Imported {
  readonly jobs: readonly ImportedJob[];
  readonly notes: readonly Note[];
}

/** Gives each job a name of its own that is allowed. */
export class Names {
  readonly #taken = new Set<string>();

  take(wanted: string): string {
    const clean =
      wanted
        .replace(/[^A-Za-z0-9._-]+/g, '-')
        .replace(/^[^A-Za-z0-9]+/, '')
        .slice(0, 90) || 'job';
    let name = clean;
    for (let n = 2; this.#taken.has(name); n++) name = `${clean}-${n}`;
    this.#taken.add(name);
    return name;
  }
}

/** In a jobs file `${` begins a variable. */
export function escapeVariables<T>(value: T): T {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${') as T;
  if (Array.isArray(value)) return value.map(escapeVariables) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, escapeVariables(item)])) as T;
}

export function fileOf(namespace: string, jobs: readonly ImportedJob[]) {
  return {
    version: 1,
    namespace,
    jobs: Object.fromEntries(jobs.map(({ name, job }) => [name, escapeVariables(job)])),
  };
}

export function yamlOf(namespace: string, jobs: readonly ImportedJob[], heading: string): string {
  const doc = new Document(fileOf(namespace, jobs));
  doc.commentBefore = ` ${heading}`;
  visit(doc, {
    // The package yaml writes a text of spaces and line ends as a block, and reads the block without its spaces.
    Scalar(_key, node) {
      if (typeof node.value === 'string' && /^\s+$/.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
    // a list of plain values is one line
    Seq(_key, node) {
      node.flow = node.items.every((item) => isScalar(item));
    },
  });
  const comments = new Map(jobs.map(({ name, comment }) => [name, comment]));
  const map = doc.get('jobs');
  if (isMap(map)) {
    for (const [i, pair] of map.items.entries()) {
      if (!isPair(pair) || !isScalar(pair.key)) continue;
      const comment = comments.get(String(pair.key.value));
      if (i > 0) pair.key.spaceBefore = true;
      if (comment)
        pair.key.commentBefore = comment
          .split('\n')
          .map((line) => ` ${line}`)
          .join('\n');
    }
  }
  return doc.toString({ lineWidth: 0 });
}

/** The report for people: equal notes about several records are one line. */
export function reportLines(notes: readonly Note[]): string[] {
  const refused = notes.filter(({ kind }) => kind === 'refused');
  const others = notes.filter(({ kind }) => kind !== 'refused');
  const groups = Map.groupBy(
    others,
    ({ kind, field, reason }) => `${kind}${field && ` ${field}`}: ${reason}`,
  );
  return [
    ...refused.map(({ record, field, reason }) => `refused ${record}${field && ` ${field}`}: ${reason}`),
    ...[...groups]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([text, group]) => `${text} (${recordsText(group.map(({ record }) => record))})`),
  ];
}

const MAX_RECORDS = 3;

function recordsText(records: readonly string[]): string {
  const names = [...new Set(records)];
  const more = names.length - MAX_RECORDS;
  return more > 0 ? `${names.slice(0, MAX_RECORDS).join(', ')} and ${more} more` : names.join(', ');
}
