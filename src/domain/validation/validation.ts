// Parses input with a zod schema. Each error names the field, the value that was given and the values that are allowed. The
// messages of a schema that has its own stay as they are.
import type { z } from 'zod';
import { cut, type FieldError } from '../errors.ts';

type RawIssue = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Either the value or its errors. */
export type Parsed<T> =
  | { readonly value: T; readonly errors?: undefined }
  | { readonly value?: undefined; readonly errors: FieldError[] };

/** `counts` is false for an issue that is not an error. `path` begins at the input. */
export function parse<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  at: Path = [],
  counts: (issue: Issue, path: Path) => boolean = () => true,
): Parsed<z.output<Schema>> {
  let described = 0;
  const error = (issue: RawIssue) =>
    described++ < MAX_DESCRIBED ? sentence(issue, input) : 'is not allowed';
  const result = schema.safeParse(input, { error });
  if (result.success) return { value: result.data };
  return { errors: result.error.issues.flatMap((issue) => fieldErrors(issue, { at, in: [], counts })) };
}

/** Further errors of an input have no sentence of their own. No answer lists so many. */
const MAX_DESCRIBED = 200;

/** A path as text: `schedule.cron`, `notify[0].on`. */
export const pathText = (path: Path): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );

/** The length of a value or of a key in an error. */
const MAX_SHOWN = 60;

/** A value for an error message: JSON of at most 60 characters. */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  const text = beginningOfJson(value, MAX_SHOWN + 1) ?? typeof value;
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 3)}…`;
}

/** JSON of which at least the first `length` characters are right. The rest of a large value is not read. */
function beginningOfJson(value: unknown, length: number): string | undefined {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, length));
  if (value === null || typeof value !== 'object' || 'toJSON' in value) return JSON.stringify(value);
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  for (const key in value) {
    if (text.length >= length) break;
    const field = beginningOfJson(value[key as keyof typeof value], length) ?? (isList ? 'null' : undefined);
    if (field === undefined) continue;
    const name = isList ? '' : `${JSON.stringify(key.slice(0, length))}:`;
    text += `${text.length > 1 ? ',' : ''}${name}${field}`;
  }
  return text + (isList ? ']' : '}');
}

/** `params` of a rule about the presence of a field, which does not depend on its value. */
export const OF_PRESENCE = { ofPresence: true };

export const isOfPresence = (issue: Issue): boolean =>
  issue.code === 'custom' && issue.params?.ofPresence === OF_PRESENCE.ofPresence;

/** Where the input of an issue is. */
interface Place {
  /** The path of the input in the request. */
  readonly at: Path;
  /** The path of the issue's value in the input. */
  readonly in: Path;
  counts(issue: Issue, path: Path): boolean;
}

function fieldErrors(issue: Issue, place: Place): FieldError[] {
  const inner = [...place.in, ...issue.path];
  const path = pathText([...place.at, ...inner].map(shortKey));
  if (issue.code === 'unrecognized_keys') {
    // the known fields are listed once
    const short = issue.message.split(';', 1)[0] ?? '';
    return issue.keys.map((key, n) => ({
      path: path === '' ? shortKey(key) : `${path}.${shortKey(key)}`,
      message: n === 0 ? issue.message : short,
    }));
  }
  if (!place.counts(issue, inner)) return [];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const closest = closestForms(issue.errors);
    const [form = []] = closest;
    return closest.length > 1 && closest.every(isMissing)
      ? [{ path, message: alternatives(closest) }]
      : form.flatMap((one) => fieldErrors(one, { ...place, in: inner }));
  }
  if (issue.code === 'invalid_key')
    return issue.issues.map(({ message }) => ({ path, message: `the key ${message}` }));
  return [{ path, message: issue.message }];
}

/** A key of the input may be as long as the body. */
export const shortKey = <Key extends PropertyKey>(key: Key): Key | string =>
  typeof key === 'string' ? cut(key, MAX_SHOWN) : key;

/** The errors of one alternative of a union. */
type Form = readonly Issue[];

/** The alternatives that the caller most likely meant: those with the fewest errors. */
function closestForms(forms: readonly Form[]): readonly Form[] {
  const fewest = Math.min(...forms.map(weight));
  return forms.filter((form) => weight(form) === fewest);
}

/** True if all errors are missing fields. */
const isMissing = (form: Form): boolean =>
  form.every(({ path, message }) => path.length === 1 && message.startsWith('is missing;'));

/** The message for input that fits none of the alternatives better than the others. It names all of them. */
const alternatives = (forms: readonly Form[]): string =>
  `must have ${forms.map((form) => form.map(({ path }) => pathText(path)).join(' and ')).join(', or ')}; none of them is given`;

const weight = (form: Form): number =>
  form.reduce((sum, issue) => {
    if (issue.code === 'unrecognized_keys') return sum + 2 * issue.keys.length;
    // A wrong type at the top means another alternative. Deep inside it is a small mistake.
    return (
      sum +
      (issue.code === 'invalid_type' && issue.path.length === 0 ? 10 : issue.code === 'invalid_type' ? 2 : 1)
    );
  }, 0);

function sentence(issue: RawIssue, input: unknown): string {
  const given = original(issue, input);
  if (given === undefined && issue.code !== 'unrecognized_keys') return `is missing; ${allowed(issue)}`;
  switch (issue.code) {
    case 'unrecognized_keys':
      return `is not a known field; known fields are ${fieldsOf(issue).join(', ') || 'none'}`;
    case 'too_big':
    case 'too_small': {
      const size = sizeOf(given);
      return `${allowed(issue)}, got ${size === undefined ? formatValue(given) : `${size}: ${formatValue(given)}`}`;
    }
    default:
      return `${allowed(issue)}, got ${formatValue(given)}`;
  }
}

function allowed(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kind(issue.expected)}${range(issue)}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(formatValue).join(', ')}`;
    case 'too_big':
      return `must ${bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`;
    case 'too_small':
      return `must ${bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? `of the form ${issue.pattern ?? issue.format}`}`;
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `must be one of ${issue.options.map(formatValue).join(', ')}`
        : 'must have one of the allowed forms';
    default:
      return 'is not allowed';
  }
}

const FORMATS: Record<string, string> = {
  url: 'a URL',
  email: 'an e-mail address',
  datetime: 'a time in ISO 8601 with an offset, such as "2026-12-01T10:00:00Z"',
};

const KINDS: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
};
const kind = (expected: string): string => KINDS[expected] ?? expected;

function bound(origin: string, word: string, limit: number | bigint): string {
  const plural = Number(limit) === 1 ? '' : 's';
  if (origin === 'string') return `have ${word} ${limit} character${plural}`;
  if (origin === 'array' || origin === 'set') return `have ${word} ${limit} item${plural}`;
  return `be ${word} ${limit}`;
}

const sizeOf = (value: unknown): number | undefined =>
  typeof value === 'string' || Array.isArray(value) ? value.length : undefined;

/** The value that the caller sent. Coercion may have turned it into NaN. */
function original(issue: RawIssue, input: unknown): unknown {
  if (!Number.isNaN(issue.input)) return issue.input;
  return (issue.path ?? []).reduce<unknown>(
    (value, key) => (value === null ? value : Object(value)[key]),
    input,
  );
}

interface Inspectable {
  readonly _zod: {
    readonly def: { shape?: object; checks?: { _zod: { def: { check: string; value?: unknown } } }[] };
  };
}

const definitionOf = (issue: RawIssue) => (issue.inst as Inspectable | undefined)?._zod.def;

const fieldsOf = (issue: RawIssue): string[] => Object.keys(definitionOf(issue)?.shape ?? {});

/** The range of a number schema, such as ` from 1 to 100`. Empty if it has none. */
function range(issue: RawIssue): string {
  const checks = definitionOf(issue)?.checks ?? [];
  const limit = (check: string) => checks.find((c) => c._zod.def.check === check)?._zod.def.value;
  const [min, max] = [limit('greater_than'), limit('less_than')];
  return min !== undefined && max !== undefined ? ` from ${min} to ${max}` : '';
}
