// Generates requests from the schemas of /openapi.json: valid ones, and valid ones with one error.
import fc, { type Arbitrary } from 'fast-check';

export type Schema = Record<string, unknown> & { properties?: Record<string, Schema> };
export type Resolve = (ref: string) => Schema;

/** Realistic values by field name, for schemas that allow more than makes sense. */
const SENSIBLE: Record<string, readonly unknown[]> = {
  task: ['noop', 'noop', 'noop', 'http'],
  params: [{}, { durationMs: 1 }, { url: 'http://127.0.0.1/' }],
  schedule: [
    { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris' },
    { cron: '*/5 * * * * *' },
    { cron: 'rate(5 minutes)' },
    { every: 'PT1H' },
    { in: 'PT90S' },
    { at: '2030-01-01T00:00', timezone: 'America/New_York' },
    { at: '2020-01-01T00:00:00Z' },
    { calendar: { hour: 5, daysOfWeek: ['MON'] } },
    { cron: '0 0 30 2 *' },
    { cron: '0 0 1 1 *', endAt: '2026-12-01T00:00:00Z' },
  ],
  notify: [[], [{ on: ['failed'], email: { to: 'a@example.com' } }]],
  from: ['2026-11-16T00:00:00Z', '2026-11-15T23:00:00+05:00'],
  to: ['2026-11-16T12:00:00Z', '2027-01-01T00:00:00Z'],
  after: ['2026-01-01T00:00:00Z', '2199-12-31T00:00:00Z', '0050-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
  tag: ['team:a', 'a:'],
};

export function fromSchema(
  schema: Schema,
  resolve: Resolve,
  name = '',
  known: Record<string, readonly unknown[]> = {},
): Arbitrary<unknown> {
  const sensible = known[name] ?? SENSIBLE[name];
  if (sensible) return fc.constantFrom(...sensible);
  if (typeof schema.$ref === 'string') return fromSchema(resolve(schema.$ref), resolve, name, known);
  const either = (schema.anyOf ?? schema.allOf) as Schema[] | undefined;
  if (either) return fc.oneof(...either.map((one) => fromSchema(one, resolve, name, known)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer(range(schema));
    case 'number':
      return fc.integer({ min: Math.ceil(range(schema).min), max: Math.floor(range(schema).max) });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array': {
      const { minItems = 0, maxItems = 5 } = schema as { minItems?: number; maxItems?: number };
      return fc.array(fromSchema((schema.items ?? {}) as Schema, resolve), {
        minLength: minItems,
        maxLength: Math.min(maxItems, minItems + 4),
      });
    }
    case 'object':
      return object(schema, resolve, known);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function object(
  schema: Schema,
  resolve: Resolve,
  known: Record<string, readonly unknown[]>,
): Arbitrary<unknown> {
  if (!schema.properties)
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.stringMatching(/^\w{0,5}$/), { maxKeys: 3 });
  const fields = Object.entries(schema.properties).map(([name, field]) => [
    name,
    fromSchema(field, resolve, name, known),
  ]);
  return fc.record(Object.fromEntries(fields) as Record<string, Arbitrary<unknown>>, {
    requiredKeys: (schema.required ?? []) as string[],
  });
}

function text(schema: Schema): Arbitrary<string> {
  if (schema.format === 'date-time') return fc.constant('2026-11-16T11:00:00Z');
  if (typeof schema.pattern === 'string') return fc.stringMatching(new RegExp(schema.pattern, 'u'));
  const { minLength = 0, maxLength = 20 } = schema as { minLength?: number; maxLength?: number };
  return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 20) });
}

function range(schema: Schema): { min: number; max: number } {
  const { minimum = -1e6, maximum = 1e6, exclusiveMinimum } = schema as Record<string, number | undefined>;
  return { min: exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1, max: maximum };
}

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    null,
    '',
    '\u0000',
    -1,
    1e308,
    2 ** 53,
    '9'.repeat(400),
    [],
    {},
    '__proto__',
    '🕐',
    '\ud83d',
    { '\ud83d': 1 },
    JSON.parse(`${'['.repeat(150)}${']'.repeat(150)}`),
    '2026-13-45T99:99:99Z',
  ),
);

/** The value with one field replaced, removed or added. */
export const spoiled = (right: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc
    .tuple(right, fc.nat(), odd, fc.constantFrom('replace', 'remove', 'add'))
    .map(([value, where, strange, how]) => {
      const copy = structuredClone(value);
      const places: [Record<string, unknown>, string][] = [];
      const walk = (at: unknown): void => {
        if (at === null || typeof at !== 'object') return;
        for (const key of Object.keys(at)) {
          places.push([at as Record<string, unknown>, key]);
          walk((at as Record<string, unknown>)[key]);
        }
      };
      walk(copy);
      const place = places[where % Math.max(places.length, 1)];
      if (!place) return strange;
      const [holder, key] = place;
      if (how === 'remove') delete holder[key];
      else if (how === 'add') holder[`x${where % 7}`] = strange;
      else holder[key] = strange;
      return copy;
    });
