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

interface Node {
  readonly value: unknown;
  readonly level: number;
  /** Undefined if this is the root. */
  readonly parent?: { readonly node: Node; readonly key: string | number };
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
  const open: Node[] = [{ value, level: 0 }];
  for (let node = open.pop(); node && errors.length < MAX_ERRORS; node = open.pop()) {
    const { value: current, level } = node;
    if (typeof current === 'string') {
      if (!current.isWellFormed())
        errors.push({ path: pathText(pathOf(node)), message: notUnicode(current) });
      continue;
    }
    if (current === null || typeof current !== 'object') continue;
    if (level === MAX_LEVELS) {
      const path = pathText(pathOf(node).slice(0, MAX_PATH_SEGMENTS));
      return [...errors, { path, message: `must nest at most ${MAX_LEVELS} levels deep` }];
    }
    for (const [key, inner] of Array.isArray(current) ? current.entries() : Object.entries(current)) {
      if (typeof key === 'string' && !key.isWellFormed())
        errors.push({ path: pathText(pathOf(node)), message: `the key ${notUnicode(key)}` });
      else open.push({ value: inner, level: level + 1, parent: { node, key } });
    }
  }
  return errors.slice(0, MAX_ERRORS);
}

const notUnicode = (text: string): string =>
  `must be well-formed Unicode, without half of a surrogate pair, got ${formatValue(text)}`;

function pathOf(node: Node): (string | number)[] {
  const path: (string | number)[] = [];
  for (let current = node; current.parent; current = current.parent.node) path.unshift(current.parent.key);
  return path;
}
