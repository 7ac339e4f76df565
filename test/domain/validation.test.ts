import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatValue, parse, pathText } from '../../src/domain/validation/validation.ts';

const said = (schema: z.ZodType, input: unknown) =>
  (parse(schema, input).errors ?? []).map(({ path, message }) => `${path}: ${message}`);

describe('what is wrong with input is said with the field, the value given and what is allowed', () => {
  it('a value of the wrong type', () => {
    expect(said(z.object({ name: z.string() }), { name: 5 })).toEqual(['name: must be a string, got 5']);
    expect(said(z.object({ tags: z.record(z.string(), z.string()) }), { tags: [] })).toEqual([
      'tags: must be an object, got []',
    ]);
    expect(said(z.object({}), 'text')).toEqual([': must be an object, got "text"']);
  });

  it('a missing field', () => {
    expect(said(z.object({ task: z.string() }), {})).toEqual(['task: is missing; must be a string']);
  });

  it('a number out of its range', () => {
    const schema = z.object({ n: z.int().min(1).max(100) });
    expect(said(schema, { n: 0 })).toEqual(['n: must be at least 1, got 0']);
    expect(said(schema, { n: 101 })).toEqual(['n: must be at most 100, got 101']);
    expect(said(schema, { n: 1.5 })).toEqual(['n: must be a whole number from 1 to 100, got 1.5']);
    expect(said(z.object({ n: z.number().positive() }), { n: 0 })).toEqual(['n: must be more than 0, got 0']);
  });

  it('a text from a query that is no number is shown as it was sent', () => {
    const schema = z.object({ limit: z.coerce.number().int().min(1).max(100).default(20) });
    expect(said(schema, { limit: 'many' })).toEqual(['limit: must be a number from 1 to 100, got "many"']);
  });

  it('a text that is too long or empty', () => {
    const schema = z.object({ name: z.string().min(1).max(5) });
    expect(said(schema, { name: 'abcdef' })).toEqual([
      'name: must have at most 5 characters, got 6: "abcdef"',
    ]);
    expect(said(schema, { name: '' })).toEqual(['name: must have at least 1 character, got 0: ""']);
  });

  it('a word that is none of the allowed ones', () => {
    expect(said(z.object({ overlap: z.enum(['skip', 'queue']) }), { overlap: 'both' })).toEqual([
      'overlap: must be one of "skip", "queue", got "both"',
    ]);
  });

  it('unknown fields, each by its name, with the known ones once', () => {
    const schema = z.strictObject({ a: z.strictObject({ b: z.string(), c: z.string().optional() }) });
    expect(said(schema, { a: { b: '', d: 1, e: 2 } })).toEqual([
      'a.d: is not a known field; known fields are b, c',
      'a.e: is not a known field',
    ]);
  });

  it('of several forms, the one that was most likely meant', () => {
    const schema = z.object({
      to: z.union([
        z.strictObject({ webhook: z.strictObject({ url: z.url() }) }),
        z.strictObject({ email: z.string() }),
        z.string(),
      ]),
    });
    expect(said(schema, { to: { webhook: { url: 'nowhere' } } })).toEqual([
      'to.webhook.url: must be a URL, got "nowhere"',
    ]);
  });

  it('the key of a map', () => {
    const schema = z.object({ tags: z.record(z.string().max(3), z.string()) });
    expect(said(schema, { tags: { long: '' } })).toEqual([
      'tags.long: the key must have at most 3 characters, got 4: "long"',
    ]);
  });

  it("in the schema's own words, when it has some", () => {
    expect(said(z.object({ a: z.string().regex(/^x/, { error: 'must begin with x' }) }), { a: 'y' })).toEqual(
      ['a: must begin with x'],
    );
  });

  it('below a given path', () => {
    const errors = parse(z.object({ url: z.string() }), { url: 1 }, ['jobs', 3, 'params']).errors;
    expect(errors?.[0]?.path).toBe('jobs[3].params.url');
  });
});

it('a path reads as in JavaScript', () => {
  expect(pathText(['notify', 0, 'on', 1])).toBe('notify[0].on[1]');
  expect(pathText([])).toBe('');
});

it('a value in a message is JSON and short', () => {
  expect(formatValue({ a: 1 })).toBe('{"a":1}');
  expect(formatValue('x'.repeat(100))).toHaveLength(58);
  expect(formatValue(Number.NaN)).toBe('NaN');
});
