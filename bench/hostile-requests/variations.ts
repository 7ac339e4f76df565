// The generated attacks of a route: its valid request with one part replaced by a hostile value. The parts are the fields of
// its body, its query parameters, its path parameters and its headers, all read from the contract.
import { z } from 'zod';
import type { Operation } from '../../src/api/contract/endpoint.ts';
import type { HostileRequest } from './server.ts';

/** The largest body that the API reads, less a little for the rest of the request. */
export const BODY_BYTES = 255 * 1024;
/** Node accepts 16 KB of request line and headers together. */
const HEADER_BYTES = 14 * 1024;

export interface Attack {
  readonly name: string;
  /** `n` is different for every request of a run, for names that must be new. */
  request(n: number): HostileRequest;
}

/** The parts of a valid request. */
export interface ValidRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Several bodies if the route has several forms of them. */
  readonly bodies?: readonly ValidBody[];
}

export interface ValidBody {
  readonly value: unknown;
  /** The JSON Schema that has the fields. Default: that of the contract. */
  readonly schema?: unknown;
  /** Where the schema begins in the body. Default: at its root. */
  readonly at?: readonly string[];
}

const repeat = (unit: string, bytes: number): string =>
  unit.repeat(Math.max(1, Math.floor(bytes / unit.length)));

const listOf = (item: string, bytes: number): string =>
  `[${repeat(`${item},`, bytes - item.length - 2)}${item}]`;

/** `count` keys as short as they can be. */
function objectOf(bytes: number, key: (n: number) => string, value: string): string {
  const fields: string[] = [];
  for (let n = 0, used = 2; used < bytes; n++) {
    const field = `${JSON.stringify(key(n))}:${value}`;
    used += field.length + 1;
    if (used < bytes) fields.push(field);
  }
  return `{${fields.join(',')}}`;
}

const nested = (open: string, close: string, levels: number, inside: string): string =>
  `${open.repeat(levels)}${inside}${close.repeat(levels)}`;

const SECRET = '{"$secret":"x"}';

/** JSON values of a size that a parser or a check may find hard. */
export const hostileValues = (bytes: number): Readonly<Record<string, string>> => ({
  'a long text': `"${'a'.repeat(bytes)}"`,
  'a text of quotes': `"${repeat('\\"', bytes)}"`,
  'a text of control characters': `"${repeat('\\u0001', bytes)}"`,
  'a text of commas': `"${','.repeat(bytes)}"`,
  'a text of spaces': `"x${' '.repeat(bytes)}x"`,
  'a text of halves of surrogate pairs': `"${repeat('\\ud800', bytes)}"`,
  'a list of halves of surrogate pairs': listOf('"\\ud800"', bytes),
  'a text of hyphens and dots': `"${repeat('a.-', bytes)}!"`,
  'a URL of dots': `"https://${repeat('a.', bytes)}b/"`,
  'an address of dots': `"a@${repeat('a.', bytes)}"`,
  'a duration of digits': `"PT${'1'.repeat(bytes)}S"`,
  'a cron list': `"${repeat('0-59/1,', bytes)}0 * * * *"`,
  'a text of combining marks': `"a${'\u0301'.repeat(bytes / 2)}"`,
  'a list of dates': listOf('"2027-01-01"', bytes),
  'a list of crons': listOf('{"cron":"* * * * *"}', bytes),
  'a number of many digits': '1'.repeat(bytes),
  'a fraction of many digits': `0.${'1'.repeat(bytes)}`,
  '1e308': '1e308',
  'deep lists': nested('[', ']', bytes / 2, ''),
  'deep objects': nested('{"a":', '}', bytes / 6, '1'),
  'lists up to the allowed depth': nested('[', ']', 90, repeat('[],', bytes - 200).slice(0, -1)),
  'a list of numbers': listOf('1', bytes),
  'a list of null': listOf('null', bytes),
  'a list of texts': listOf('""', bytes),
  'a list of lists': listOf('[]', bytes),
  'a list of objects': listOf('{}', bytes),
  'a list of objects with a field': listOf('{"a":1}', bytes),
  'a list of secrets': listOf(SECRET, bytes),
  'a list of invalid secrets': listOf('{"$secret":1}', bytes),
  'an object of many fields': objectOf(bytes, (n) => n.toString(36), '1'),
  'an object of many texts': objectOf(bytes, (n) => n.toString(36), '""'),
  'an object of whole numbers as keys': objectOf(bytes, (n) => String(4_000_000_000 - n * 7), '1'),
  'an object of illegal keys': objectOf(bytes, (n) => `é ${n.toString(36)}`, '""'),
  'an object of illegal keys with secrets': objectOf(bytes, (n) => `é ${n.toString(36)}`, SECRET),
  'an object of legal keys with secrets': objectOf(bytes, (n) => `a${n.toString(36)}`, SECRET),
  'an object with the same key': `{${repeat('"a":1,', bytes - 10)}"a":1}`,
  'an object of __proto__': nested('{"__proto__":', '}', 90, '1'),
  'an object of half surrogates as keys': objectOf(bytes, (n) => `${n.toString(36)}\ud800`, '1'),
  'an object with a long key': `{"${'k'.repeat(bytes)}":1}`,
  'an object with a long illegal key': `{"${'é '.repeat(bytes / 3)}":${SECRET}}`,
  'long keys down to the allowed depth': nested(`{"${'k'.repeat(bytes / 100)}":`, '}', 90, '"\\ud800"'),
});

/** Texts for query parameters, path parameters and headers. */
const hostileTexts = (bytes: number): Readonly<Record<string, string>> => ({
  'a long text': 'a'.repeat(bytes),
  commas: ','.repeat(bytes),
  digits: '9'.repeat(bytes),
  'a number': '1e308',
  spaces: `x${' '.repeat(bytes)}x`,
  quotes: '"'.repeat(bytes),
  'tags in quotes': `${repeat('W/"a", ', bytes)}"`,
  colons: ':'.repeat(bytes),
  'dots and hyphens': repeat('a.-', bytes),
  slashes: '/'.repeat(bytes),
  'respond-async and spaces': `,${' '.repeat(Math.min(bytes, 900))}respond-asyn`,
  'a token of dots': `Bearer ${repeat('eyJ9.', bytes)}`,
  'a token of one part': `Bearer ${'A'.repeat(bytes)}`,
  'a token with spaces': `Bearer ${' '.repeat(bytes)}x y`,
  'a cursor of base64': Buffer.from(nested('[', ']', bytes / 4, ''))
    .toString('base64url')
    .slice(0, bytes),
  'a short cursor': Buffer.from(nested('[', ']', 700, ''))
    .toString('base64url')
    .slice(0, 2_000),
});

/** Fills the template of a path. */
export function pathOf(operation: Operation, valid: ValidRequest, query = valid.query ?? {}): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(valid.path?.[name] ?? 'x'),
  );
  const text = String(new URLSearchParams(query));
  return text === '' ? path : `${path}?${text}`;
}

const PLACE = '@place@';

/** A copy of the value with a field replaced by the place of the hostile value. */
function replaced(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return PLACE;
  if (first === '0') {
    const [item] = Array.isArray(value) ? value : [];
    return [replaced(item, rest)];
  }
  const object = value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
  return { ...object, [first]: replaced((object as Record<string, unknown>)[first], rest) };
}

const bodyWith = (value: unknown, field: readonly string[], hostile: string): string =>
  JSON.stringify(replaced(value, field)).replace(`"${PLACE}"`, () => hostile);

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly additionalProperties?: unknown;
}

/** The paths of all fields of a schema, the root included. `0` is the item of a list, `key` that of a record. */
function fieldsOf(schema: JsonSchema, at: readonly string[] = []): string[][] {
  const { properties = {}, items, anyOf = [], oneOf = [], additionalProperties } = schema;
  const inner = [
    ...Object.entries(properties).flatMap(([name, property]) => fieldsOf(property, [...at, name])),
    ...(items ? fieldsOf(items, [...at, '0']) : []),
    ...[...anyOf, ...oneOf].flatMap((form) => fieldsOf(form, at)),
    ...(additionalProperties !== null && typeof additionalProperties === 'object' ? [[...at, 'key']] : []),
  ];
  const unique = new Map([[...at], ...inner].map((path) => [path.join('.'), path]));
  return [...unique.values()];
}

const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;

/** All variations of the route's valid request. */
export function* variations(operation: Operation, valid: ValidRequest): Generator<Attack> {
  const { method } = operation;
  const headers = valid.headers ?? {};
  const [first] = valid.bodies ?? [];
  const body = first === undefined ? undefined : JSON.stringify(first.value);
  const path = pathOf(operation, valid);
  const attack = (name: string, request: Partial<HostileRequest>): Attack => ({
    name,
    request: () => ({ method, path, headers, body, ...request }),
  });

  yield attack('the valid request', {});
  for (const { value, schema, at = [] } of valid.bodies ?? []) {
    const fields = fieldsOf((schema as JsonSchema) ?? jsonSchemaOf(operation.body ?? z.unknown()));
    for (const field of [...fields, ['unknown']]) {
      const bytes = BODY_BYTES - JSON.stringify(value).length;
      for (const [name, hostile] of Object.entries(hostileValues(bytes)))
        yield attack(`${[...at, ...field].join('.') || 'body'}: ${name}`, {
          body: bodyWith(value, [...at, ...field], hostile),
        });
    }
  }
  if (body !== undefined)
    for (const [name, text] of Object.entries(hostileValues(BODY_BYTES)))
      yield attack(`body that is cut off: ${name}`, { body: text.slice(0, -1) });

  const texts = Object.entries(hostileTexts(HEADER_BYTES));
  const names = Object.keys(operation.query?.shape ?? {});
  for (const name of [...names, 'unknown'])
    for (const [what, text] of texts) {
      // the text is encoded, and must fit into the request line
      const query = String(new URLSearchParams({ ...valid.query, [name]: text })).slice(0, HEADER_BYTES);
      yield attack(`query ${name}: ${what}`, { path: `${path.split('?')[0]}?${query.replace(/%.?$/, '')}` });
    }
  yield attack('query: many names', {
    path: `${path.split('?')[0]}?${Array.from({ length: 3_000 }, (_, n) => n.toString(36)).join('&')}`,
  });
  yield attack('query: one name many times', { path: `${path.split('?')[0]}?${repeat('a&', HEADER_BYTES)}` });
  for (const name of Object.keys(operation.params?.shape ?? {}))
    for (const [what, text] of texts) {
      const given = { ...valid, path: { ...valid.path, [name]: text } };
      yield attack(`path ${name}: ${what}`, {
        path: pathOf(operation, given).slice(0, HEADER_BYTES).replace(/%.?$/, ''),
      });
    }
  for (const name of [...Object.keys(operation.headers?.shape ?? {}), ...OTHER_HEADERS])
    for (const [what, text] of texts)
      yield attack(`header ${name}: ${what}`, { headers: { ...headers, [name]: text } });
  yield attack('many headers', {
    headers: Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`x${n.toString(36)}`, '1'])),
  });
}

/** Headers that the API reads on every route. */
const OTHER_HEADERS = ['authorization', 'content-type', 'if-none-match', 'origin', 'x-request-id', 'cookie'];
