// The params of tasks as rows, for all tasks of the server.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { exampleOf, paramRows } from '../../../console/screens/tasks/param-rows.ts';
import { createRecipients } from '../../../src/tasks/aws/recipients.ts';
import { builtinTasks, describeOnlyServices } from '../../../src/tasks/registry.ts';

const schemaOf = (params: z.ZodType) => z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' });

it('describes every param of the built-in tasks', () => {
  for (const { name, params } of builtinTasks().values()) {
    const rows = paramRows(schemaOf(params)) ?? [];
    expect(rows.length, name).toBeGreaterThan(0);
    for (const { path, type, description } of rows) {
      expect(type, `${name}.${path}`).not.toBe('');
      expect(description, `${name}.${path}`).not.toBe('');
    }
  }
});

it('has an example of every built-in task that the task accepts', () => {
  const everybody = describeOnlyServices(createRecipients(['*@example.com']));
  for (const { name, params } of builtinTasks(everybody).values()) {
    const example = exampleOf(schemaOf(params));
    expect(params.safeParse(example).error, name).toBeUndefined();
  }
});

it('names types, ranges, choices and nested fields, required ones first', () => {
  const schema = z.strictObject({
    tries: z.int().min(0).max(5).optional().describe('number of tries'),
    names: z.array(z.string()).max(3).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    deep: z.strictObject({ key: z.string(), flag: z.boolean().optional() }).optional(),
    body: z.unknown().optional(),
    kind: z.enum(['a', 'b']),
  });
  expect(paramRows(schemaOf(schema))?.map(({ path, isRequired, type }) => [path, isRequired, type])).toEqual([
    ['kind', true, 'a, b'],
    ['tries', false, 'integer, 0 to 5'],
    ['names', false, 'list of texts, at most 3'],
    ['headers', false, 'texts by name'],
    ['deep', false, 'object'],
    ['deep.key', true, 'text'],
    ['deep.flag', false, 'true or false'],
    ['body', false, 'any JSON'],
  ]);
});

it('has no rows and no example for a schema that names no fields', () => {
  for (const schema of [undefined, {}, { type: 'object' }, { anyOf: [] }, { examples: ['text'] }]) {
    expect(paramRows(schema)).toBeUndefined();
    expect(exampleOf(schema)).toBeUndefined();
  }
});
