// Reads a jobs file: YAML or JSON, variables, defaults and validation. All errors are found before any request is sent.
import {
  type Document,
  isMap,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import { InvalidInput } from '../../domain/errors.ts';
import { jobNameSchema } from '../../domain/jobs/job-name.ts';
import { jobSpecSchema } from '../../domain/jobs/job-spec.ts';
import { resolveSchedule } from '../../domain/schedule/resolve.ts';
import { parse } from '../../domain/validation/validation.ts';
import { type FileJob, jobsFileSchema } from './file-schema.ts';
import { type MergedJob, mergeDefaults } from './merge-defaults.ts';
import { type Path, type Position, pathParts, positionOf } from './positions.ts';
import { replaceVariables, scalarOf } from './variables.ts';

export interface FileError extends Partial<Position> {
  /** The job that the error is in. */
  readonly job?: string;
  readonly path?: string;
  readonly message: string;
}

export interface JobsFile {
  readonly namespace: string;
  readonly jobs: readonly NamedFileJob[];
  /** The position of a field of a job, for errors that the server finds. */
  locate(job: NamedFileJob, path: string): Position;
}

export interface NamedFileJob {
  readonly name: string;
  readonly job: MergedJob & { readonly task: string; readonly schedule: object };
}

/** The file is wrong. */
export class JobsFileError extends Error {
  override readonly name = 'JobsFileError';
  readonly errors: readonly FileError[];
  constructor(errors: readonly FileError[]) {
    super(errors.map(({ message }) => message).join('; '));
    this.errors = errors;
  }
}

export function readJobsFile(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  now: number,
): JobsFile {
  const lines = new LineCounter();
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  refuse(syntaxErrors(doc.errors, lines));
  const at = (path: Path, key = false) => positionOf(doc, lines, path, key);
  refuse(replaceAll(doc, env, lines));
  refuse(repeatedNames(doc, lines));
  const value = contentOf(doc);
  const parsed = parse(jobsFileSchema, value);
  refuse(
    (parsed.errors ?? []).map(({ path, message }) => inFile(at, pathParts(path), message, Object(value))),
  );
  if (!parsed.value) throw new JobsFileError([]);
  const { namespace, defaults = {}, jobs } = parsed.value;
  const errors: FileError[] = [];
  const read = Object.entries(jobs).flatMap(([key, job]) => {
    const merged = mergeDefaults(defaults, job);
    const found = jobErrors(key, merged, now);
    const own = (path: string): Path => ['jobs', key, ...pathParts(path)];
    errors.push(...found.map(({ path, message }) => ({ ...at(own(path)), job: key, path, message })));
    return found.length > 0 ? [] : [{ name: key, job: merged as NamedFileJob['job'] }];
  });
  refuse(errors);
  return {
    namespace,
    jobs: read,
    locate: ({ name }, path) => at(['jobs', name, ...pathParts(path)]),
  };
}

function refuse(errors: readonly FileError[]): void {
  if (errors.length > 0) throw new JobsFileError(errors);
}

interface SyntaxProblem {
  readonly message: string;
  readonly pos: readonly [number, number];
}

/** One error per line, because the first one causes the others. */
function syntaxErrors(problems: readonly SyntaxProblem[], lines: LineCounter): FileError[] {
  const errors = problems.map((problem) => syntaxError(problem, lines));
  return errors.filter(({ line }, i) => errors.findIndex((other) => other.line === line) === i);
}

/** Throws JobsFileError for aliases without an anchor, or too many of them. */
function contentOf(doc: Document.Parsed): unknown {
  try {
    return doc.toJS({ maxAliasCount: 1000 });
  } catch (error) {
    throw new JobsFileError([
      { line: 1, column: 1, message: error instanceof Error ? error.message : String(error) },
    ]);
  }
}

function syntaxError({ message, pos }: SyntaxProblem, lines: LineCounter): FileError {
  const { line, col } = lines.linePos(pos[0]);
  const hint = /alias/i.test(message) ? '; put a schedule that begins with * into quotes: "* * * * *"' : '';
  return { line, column: col, message: `${message.split('\n')[0]}${hint}` };
}

const RELATIVE =
  'does not apply to a file, because each apply would move the run; use at, cron, every or calendar';

/** An error of the whole file. The names of jobs are part of the path. */
function inFile(
  at: (path: Path, key?: boolean) => Position,
  path: Path,
  message: string,
  file: { jobs?: unknown },
): FileError {
  const [first, ...rest] = path;
  const key = first === 'jobs' ? jobIn(Object(file.jobs), rest) : undefined;
  if (key === undefined) return { ...at(path), ...(path.length > 0 && { path: path.join('.') }), message };
  const inner = rest.join('.').slice(key.length + 1);
  return {
    ...at(['jobs', key, ...pathParts(inner)]),
    ...{ job: key, path: inner },
    message: inner === 'schedule.in' ? RELATIVE : message,
  };
}

/** A name may contain dots, and the path of an error does too. */
const jobIn = (jobs: object, rest: Path): string | undefined =>
  Object.keys(jobs).find((key) => {
    const text = rest.join('.');
    return text === key || text.startsWith(`${key}.`);
  });

/** Replaces the variables in values and in the names of jobs. */
function replaceAll(
  doc: Document.Parsed,
  env: Readonly<Record<string, string | undefined>>,
  lines: LineCounter,
): FileError[] {
  const errors: FileError[] = [];
  visit(doc, {
    Scalar(position, node, ancestors) {
      if (typeof node.value !== 'string') return;
      if (position === 'key' && !isJobName(ancestors)) return;
      const { text, missing, isWhole } = replaceVariables(node.value, env);
      const { line, col } = lines.linePos(node.range?.[0] ?? 0);
      for (const name of missing)
        errors.push({ line, column: col, message: `the variable ${name} is not set, and has no default` });
      node.value = isWhole && !isFreeText(ancestors) ? (scalarOf(text) ?? text) : text;
    },
  });
  return errors;
}

type Ancestors = readonly (Document | Node | Pair)[];

/** The keys between the root and a node. */
const keysOf = (ancestors: Ancestors): string[] =>
  ancestors.flatMap((one) => ('key' in one && isScalar(one.key) ? [String(one.key.value)] : []));

const isJobName = (ancestors: Ancestors): boolean => {
  const keys = keysOf(ancestors.slice(0, -1));
  return keys.length === 1 && keys[0] === 'jobs';
};

/** In params and tags, a number in a variable stays text: `1.10` must not become 1.1. */
const isFreeText = (ancestors: Ancestors): boolean => {
  const [first, second, third] = keysOf(ancestors);
  const field = first === 'defaults' ? second : third;
  return field === 'params' || field === 'tags';
};

/** YAML refuses a repeated key. Variables may make two names equal. */
function repeatedNames(doc: Document.Parsed, lines: LineCounter): FileError[] {
  const jobs = doc.get('jobs');
  if (!isMap(jobs)) return [];
  const seen = new Set<string>();
  return jobs.items.flatMap(({ key }) => {
    const name = isScalar(key) ? String(key.value) : '';
    const isRepeated = seen.has(name);
    seen.add(name);
    const { line, col } = lines.linePos((isScalar(key) && key.range?.[0]) || 0);
    return isRepeated ? [{ line, column: col, job: name, message: 'is the name of two jobs' }] : [];
  });
}

interface JobProblem {
  readonly path: string;
  readonly message: string;
}

/** The errors of a job that can be found without a server. */
function jobErrors(name: string, { paused: _paused, ...job }: MergedJob, now: number): JobProblem[] {
  const named = parse(jobNameSchema, name).errors?.map(({ message }) => ({ path: '', message })) ?? [];
  const missing =
    job.schedule === undefined
      ? [{ path: '', message: 'schedule is missing; a job of a file must have one' }]
      : [];
  const spec = parse(jobSpecSchema, job);
  return [...named, ...missing, ...(spec.errors ?? scheduleErrors(job, now))];
}

function scheduleErrors({ schedule }: Pick<MergedJob, 'schedule'>, now: number): JobProblem[] {
  if (!schedule) return [];
  try {
    resolveSchedule(schedule, now);
    return [];
  } catch (error) {
    if (error instanceof InvalidInput) return [...error.errors];
    throw error;
  }
}

export type { FileJob };
