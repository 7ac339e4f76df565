// The params form: the fields of the JSON Schema that zod writes.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonText, parseJson } from '../../../console/screens/edit/params/json-text.ts';
import {
  canShow,
  fieldsOfSchema,
  initialParams,
  labelOf,
  type SchemaField,
  secretOf,
  unknownNames,
  valueOfText,
  withField,
} from '../../../console/screens/edit/params/schema-field.ts';
import { builtinTasks } from '../../../src/tasks/registry.ts';

const fieldsOf = (schema: z.ZodType) =>
  fieldsOfSchema(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) ?? [];
const builtin = (name: string): readonly SchemaField[] => {
  const task = builtinTasks().get(name);
  if (!task) throw new Error(`there is no task ${name}`);
  return fieldsOf(task.params);
};
const kinds = (fields: readonly SchemaField[]) =>
  Object.fromEntries(fields.map(({ name, kind }) => [name, kind]));

describe('the params form', () => {
  it('has a control for each field of the built-in tasks', () => {
    expect(kinds(builtin('http'))).toEqual({
      url: 'text',
      method: 'choice',
      headers: 'map',
      body: 'json',
      expectedStatuses: 'list',
      timeoutSeconds: 'number',
    });
    expect(kinds(builtin('script'))).toEqual({
      language: 'choice',
      source: 'text',
      s3: 'group',
      args: 'list',
      environment: 'map',
    });
    expect(kinds(builtin('noop'))).toMatchObject({ durationMs: 'integer', fail: 'boolean', result: 'json' });
    for (const [name] of builtinTasks()) expect(builtin(name).length, name).toBeGreaterThan(0);
  });

  it('puts required fields first, and has their descriptions and ranges', () => {
    expect(builtin('email').map(({ isRequired }) => isRequired)).toEqual([
      ...[true, true, true],
      ...Array(7).fill(false),
    ]);
    expect(builtin('sqs').find(({ name }) => name === 'delaySeconds')).toMatchObject({
      description: 'Delay of the message; not for FIFO queues',
      hint: '0 to 900',
    });
  });

  it('has lines for a text without a limit, and one line for an address', () => {
    const isLong = (task: string, name: string) => {
      const field = builtin(task).find((one) => one.name === name);
      return field !== undefined && 'isLong' in field && field.isLong;
    };
    expect(isLong('script', 'source')).toBe(true);
    expect(isLong('email', 'html')).toBe(true);
    expect(isLong('http', 'url')).toBe(false);
    expect(isLong('lambda', 'function')).toBe(false);
  });

  it('has a choice for literals and their unions, and JSON for all else', () => {
    const fields = fieldsOf(
      z.object({
        mode: z.union([z.literal('a'), z.literal(2)]),
        only: z.literal('x'),
        tuple: z.tuple([z.string(), z.number()]),
        union: z.union([z.string(), z.object({ a: z.string() })]),
        lists: z.array(z.array(z.string())),
        any: z.unknown(),
        nothing: z.null(),
      }),
    );
    expect(kinds(fields)).toEqual({
      mode: 'choice',
      only: 'choice',
      tuple: 'json',
      union: 'json',
      lists: 'json',
      any: 'json',
      nothing: 'json',
    });
    expect(fieldsOfSchema(z.toJSONSchema(z.record(z.string(), z.string())))).toBeUndefined();
    expect(fieldsOfSchema(undefined)).toBeUndefined();
    expect(fieldsOfSchema({ type: 'object', properties: { odd: 5 } })).toMatchObject([{ kind: 'json' }]);
  });

  it('keeps a text that is not a number, and an empty one is absent', () => {
    expect(valueOfText('integer', '12')).toBe(12);
    expect(valueOfText('number', ' 1.5e2')).toBe(150);
    expect(valueOfText('number', '12 s')).toBe('12 s');
    expect(valueOfText('number', '')).toBeUndefined();
    expect(valueOfText('scalar', '2xx')).toBe('2xx');
    expect(valueOfText('scalar', '204')).toBe(204);
    expect(valueOfText('text', '204')).toBe('204');
  });

  it('knows references to secrets', () => {
    expect(secretOf({ $secret: 'token' })).toBe('token');
    expect(secretOf({ $secret: 'token', more: 1 })).toBeUndefined();
    expect(secretOf('token')).toBeUndefined();
  });

  it('shows a value that its control cannot have as JSON, so that nothing is lost', () => {
    const [url, method, headers] = ['url', 'method', 'headers'].map((name) =>
      builtin('http').find((field) => field.name === name),
    ) as [SchemaField, SchemaField, SchemaField];
    expect(canShow(url, { $secret: 'address' })).toBe(true);
    expect(canShow(url, 5)).toBe(false);
    expect(canShow(method, 'BREW')).toBe(false);
    expect(canShow(headers, { Authorization: { $secret: 'token' }, Accept: 'text/plain' })).toBe(true);
    expect(canShow(headers, { Authorization: ['a'] })).toBe(false);
    expect(canShow(headers, undefined)).toBe(true);
  });

  it('names params that the schema does not have', () => {
    expect(unknownNames(builtin('noop'), { fail: true, tail: 1 })).toEqual(['tail']);
    expect(withField({ a: 1, b: 2 }, 'a', undefined)).toEqual({ b: 2 });
    expect(withField({ a: 1 }, 'b', null)).toEqual({ a: 1, b: null });
  });

  it('begins with the first choice of a required field', () => {
    expect(initialParams(builtin('script'))).toEqual({ language: 'python' });
    expect(initialParams(builtin('email'))).toEqual({ to: [''] });
    expect(initialParams(undefined)).toEqual({});
  });

  it.each([
    ['timeoutSeconds', 'Timeout seconds'],
    ['s3', 'S3'],
    ['URL', 'URL'],
    ['queue_url', 'Queue URL'],
  ])('labels %s as %s', (name, label) => {
    expect(labelOf(name)).toBe(label);
  });
});

describe('the text of JSON', () => {
  it('names the line of an error', () => {
    expect(parseJson('{\n  "a": 1,\n  b: 2\n}').error).toMatch(/^is not JSON: .*line 3, column 3/);
    expect(parseJson('{"a": 1').error).toMatch(/^is not JSON: /);
  });

  it('is empty for no value', () => {
    expect(parseJson('  ')).toEqual({ value: undefined });
    expect(parseJson('null')).toEqual({ value: null });
    expect(jsonText(undefined)).toBe('');
    expect(parseJson(jsonText({ a: [1] })).value).toEqual({ a: [1] });
  });
});
