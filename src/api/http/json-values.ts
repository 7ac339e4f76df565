// Checks JSON values before a schema parses them: their nesting depth, and that their strings are well-formed Unicode.
import type { z } from 'zod';
import type { FieldError } from '../../domain/errors.ts';
import { formatValue, type Parsed, parse, pathText } from '../../domain/validation/validation.ts';

/** Maximum nesting depth of a body. Recursive code such as JSON.stringify fails at some thousand levels. */
export const MAX_LEVELS = 100;
/** Maximum number of errors in a response. */
const MAX_ERRORS = 10;
/** Maximum number of path segments in the error about nesting. */
const MAX_PATH_SEGMENTS = 5;

/** A list or an object of the value. */
interface Node {
  readonly value: object;
  readonly level: number;
  /** Undefined if this is the root. */
  readonly parent?: Node;
  /** The index or the key in the parent. */
  readonly key: string | number;
}

/** Parses the value by the schema if `jsonErrors` finds nothing. */
export function parseJson<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Parsed<z.output<Schema>> {
  const errors = jsonErrors(value);
  return errors.length > 0 ? { errors } : parse(schema, value);
}

/** Walks the value with a list instead of recursion, because it may nest deeper than the stack. */
export function jsonErrors(value: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const open: Node[] = [];
  const visit = (inner: unknown, key: string | number, parent?: Node): void => {
    if (typeof inner === 'string') {
      if (inner.isWellFormed() || errors.length === MAX_ERRORS) return;
      errors.push({ path: pathText([...pathOf(parent), key]), message: notUnicode(inner) });
    } else if (inner !== null && typeof inner === 'object')
      open.push({ value: inner, level: (parent?.level ?? -1) + 1, parent, key });
  };
  visit(value, '');
  for (let node = open.pop(); node && errors.length < MAX_ERRORS; node = open.pop()) {
    const { value: current, level } = node;
    if (level === MAX_LEVELS) {
      const path = pathText(pathOf(node).slice(0, MAX_PATH_SEGMENTS));
      return [...errors, { path, message: `must nest at most ${MAX_LEVELS} levels deep` }];
    }
    if (Array.isArray(current)) {
      for (let n = 0; n < current.length; n++) visit(current[n], n, node);
      continue;
    }
    for (const key in current) {
      if (key.isWellFormed()) visit(current[key as keyof typeof current], key, node);
      else if (errors.length < MAX_ERRORS)
        errors.push({ path: pathText(pathOf(node)), message: `the key ${notUnicode(key)}` });
    }
  }
  return errors;
}

const notUnicode = (text: string): string =>
  `must be well-formed Unicode, without half of a surrogate pair, got ${formatValue(text)}`;

/** The path of a node. The root has an empty one. */
function pathOf(node: Node | undefined): (string | number)[] {
  const path: (string | number)[] = [];
  for (let current = node; current?.parent; current = current.parent) path.unshift(current.key);
  return path;
}
