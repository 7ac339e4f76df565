// JSON values of requests, checked before a schema sees them: how deep they nest, and that their texts are Unicode.
import type { z } from 'zod';
import type { FieldError } from '../../domain/errors.ts';
import { formatValue, type Parsed, parse, pathText } from '../../domain/validation/validation.ts';

/** Levels of objects and lists in a body. Recursive code, JSON.stringify included, fails at some thousands. */
export const MAX_LEVELS = 100;
/** Of what is wrong, so much is told. */
const MAX_ERRORS = 10;
/** Of the path to what nests too deep, so many parts are told. */
const SHOWN_PARTS = 5;

interface Place {
  readonly value: unknown;
  readonly level: number;
  /** Undefined: the whole value. */
  readonly in?: { readonly place: Place; readonly key: string | number };
}

/** By the schema, unless the value is refused before. */
export function parseJson<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Parsed<z.output<Schema>> {
  const errors = jsonErrors(value);
  return errors.length > 0 ? { errors } : parse(schema, value);
}

/** A list of places instead of recursion: the value may nest deeper than the stack. */
export function jsonErrors(value: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const open: Place[] = [{ value, level: 0 }];
  for (let place = open.pop(); place && errors.length < MAX_ERRORS; place = open.pop()) {
    const { value: at, level } = place;
    if (typeof at === 'string') {
      if (!at.isWellFormed()) errors.push({ path: pathText(pathOf(place)), message: notUnicode(at) });
      continue;
    }
    if (at === null || typeof at !== 'object') continue;
    if (level === MAX_LEVELS) {
      const path = pathText(pathOf(place).slice(0, SHOWN_PARTS));
      return [...errors, { path, message: `must nest at most ${MAX_LEVELS} levels deep, and nests deeper` }];
    }
    for (const [key, inner] of Array.isArray(at) ? at.entries() : Object.entries(at)) {
      if (typeof key === 'string' && !key.isWellFormed())
        errors.push({ path: pathText(pathOf(place)), message: `the key ${notUnicode(key)}` });
      else open.push({ value: inner, level: level + 1, in: { place, key } });
    }
  }
  return errors.slice(0, MAX_ERRORS);
}

const notUnicode = (text: string): string =>
  `must be well-formed Unicode, without half of a surrogate pair, got ${formatValue(text)}`;

function pathOf(place: Place): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = place; at.in; at = at.in.place) path.unshift(at.in.key);
  return path;
}
