// Reads the YAML or JSON of a jobs file: syntax, variables, and the position of each value.
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import { type Path, type Position, positionOf } from './positions.ts';
import { replaceVariables, scalarOf } from './variables.ts';

export interface FileError extends Partial<Position> {
  /** The job that the error is in. */
  readonly job?: string;
  readonly path?: string;
  readonly message: string;
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

export function refuse(errors: readonly FileError[]): void {
  if (errors.length > 0) throw new JobsFileError(errors);
}

export interface FileDocument {
  readonly value: unknown;
  /** The position of the value at `path`. `key`: the position of its key. */
  at(path: Path, key?: boolean): Position;
}

export function readDocument(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[] = [],
): FileDocument {
  const lines = new LineCounter();
  const doc = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    resolveKnownTags: false, // !!timestamp and !!binary have values that JSON does not have
  });
  // the package yaml only warns of a tag that it does not know, and leaves it out
  refuse(syntaxErrors([...doc.errors, ...doc.warnings], lines));
  refuse(checkNodes(doc, lines));
  refuse(replaceAll(doc, env, allowed, lines));
  refuse(repeatedNames(doc, lines));
  return { value: contentOf(doc), at: (path, key) => positionOf(doc, lines, path, key) };
}

interface SyntaxProblem {
  readonly code: string;
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

function syntaxError({ code, message, pos }: SyntaxProblem, lines: LineCounter): FileError {
  const { line, col } = lines.linePos(pos[0]);
  if (code === 'MULTIPLE_DOCS')
    return {
      ...{ line, column: col },
      message: 'a jobs file has one document; remove the line --- or give each document a file of its own',
    };
  const hint = /alias/i.test(message) ? '; put a schedule that begins with * into quotes: "* * * * *"' : '';
  return { line, column: col, message: `${message.split('\n')[0]}${hint}` };
}

/** Refuses what YAML allows, and JSON or YAML 1.2 does not: it would be left out or become something else. */
function checkNodes(doc: Document.Parsed, lines: LineCounter): FileError[] {
  const errors: FileError[] = [];
  const add = (node: unknown, message: string) => {
    const { line, col } = lines.linePos((isNode(node) && node.range?.[0]) || 0);
    errors.push({ line, column: col, message });
  };
  visit(doc, {
    Pair(_position, { key }) {
      if (isCollection(key)) add(key, 'a key must be text, not a list or an object');
      else if (isScalar(key) && key.value === '<<' && key.type === 'PLAIN')
        add(key, 'merge keys (<<) are not part of YAML 1.2; use `defaults`, or an alias for a whole object');
    },
    Scalar(_position, node) {
      if (typeof node.value === 'number' && !Number.isFinite(node.value))
        add(node, `${node.source} is no value of JSON; write a number, or text in quotes`);
    },
  });
  return errors;
}

/** Replaces the variables in values and in the names of jobs. */
function replaceAll(
  doc: Document.Parsed,
  env: Readonly<Record<string, string | undefined>>,
  allowed: readonly string[],
  lines: LineCounter,
): FileError[] {
  const errors: FileError[] = [];
  visit(doc, {
    Scalar(position, node, ancestors) {
      if (typeof node.value !== 'string') return;
      if (position === 'key' && !isJobName(ancestors)) return;
      const { text, refused, missing, malformed, isWhole } = replaceVariables(node.value, env, allowed);
      const { line, col } = lines.linePos(node.range?.[0] ?? 0);
      for (const name of refused)
        errors.push({
          ...{ line, column: col },
          message: `the variable ${name} may hold a credential of this machine, so a jobs file does not read it; allow it with --env ${name}, or refer to a secret of the worker: { "$secret": "name" }`,
        });
      for (const name of missing)
        errors.push({ line, column: col, message: `the variable ${name} is not set, and has no default` });
      for (const found of malformed)
        errors.push({
          ...{ line, column: col },
          message: `${JSON.stringify(found)} is no variable; write \${NAME} or \${NAME:-default} without braces in the default, or $\${ for the text \${`,
        });
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
