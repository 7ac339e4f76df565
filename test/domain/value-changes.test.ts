import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Head } from '../../src/domain/jobs/job.ts';
import type { JobSpec } from '../../src/domain/jobs/job-spec.ts';
import { isSameValue, MAX_CHANGES, valueChanges } from '../../src/domain/value-changes.ts';
import { compareNamed } from '../../src/jobs/named/compare-named-job.ts';

const wrapped = (value: unknown, levels: number, key = 'a'): unknown => {
  let outer = value;
  for (let level = 0; level < levels; level++) outer = { [key]: outer };
  return outer;
};

const wide = (count: number, value: unknown, name = (n: number) => `k${n}`): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [name(n), value]));

/** A copy whose reads of fields and items are counted. */
function counted(value: unknown): { value: unknown; reads: () => number } {
  let reads = 0;
  const watch = (one: unknown): unknown => {
    if (one === null || typeof one !== 'object') return one;
    const copy = Array.isArray(one)
      ? one.map(watch)
      : Object.fromEntries(Object.entries(one).map(([key, field]) => [key, watch(field)]));
    return new Proxy(copy, {
      get: (target, key) => {
        reads++;
        return Reflect.get(target, key);
      },
    });
  };
  return { value: watch(value), reads: () => reads };
}

describe('the changes between two values', () => {
  it('have the path of the smallest field, and a list is one value', () => {
    const from = { a: { b: 1, c: [1, 2], gone: null }, same: { x: 1 }, kind: { x: 1 } };
    const to = { a: { b: 2, c: [1, 3], come: 0 }, same: { x: 1 }, kind: [1] };
    expect(valueChanges(['params'], from, to)).toEqual([
      { path: 'params.a.b', from: 1, to: 2 },
      { path: 'params.a.c', from: [1, 2], to: [1, 3] },
      { path: 'params.a.gone', from: null },
      { path: 'params.a.come', to: 0 },
      { path: 'params.kind', from: { x: 1 }, to: [1] },
    ]);
  });

  it('are none for values that are the same, in any order of the keys and with undefined fields', () => {
    expect(valueChanges([], { a: 1, b: { c: [] } }, { b: { c: [], d: undefined }, a: 1 })).toEqual([]);
  });

  it('have fields with the names of methods', () => {
    const to = JSON.parse('{ "constructor": 1, "__proto__": { "a": 1 } }');
    expect(valueChanges([], {}, to)).toEqual([
      { path: 'constructor', to: 1 },
      { path: '__proto__', to: { a: 1 } },
    ]);
    expect(isSameValue({ constructor: 1 }, { toString: 1 })).toBe(false);
  });

  it('are none if and only if the values are the same', () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(valueChanges(['x'], a, b).length === 0).toBe(isSameValue(a, b));
        expect(valueChanges(['x'], a, structuredClone(a))).toEqual([]);
      }),
    );
  });

  it('read each field once, however deep it is', () => {
    const [fields, levels] = [1000, 94];
    const build = (zz: number) => wrapped({ ...wide(fields, 1), list: Array(100).fill(1), zz }, levels);
    const [from, to] = [counted(build(1)), counted(build(2))];
    expect(valueChanges([], from.value, to.value)).toHaveLength(1);
    // a list reads its length and its items, each of which JSON has once
    const size = levels + fields + 100 + 10;
    expect(from.reads()).toBeLessThanOrEqual(size);
    expect(to.reads()).toBeLessThanOrEqual(size);
  });

  it('are at most 100 and the number of the others', () => {
    const changes = valueChanges(['params'], wide(MAX_CHANGES + 2, 1), wide(MAX_CHANGES + 2, 2));
    expect(changes).toHaveLength(MAX_CHANGES + 1);
    expect(changes[MAX_CHANGES - 1]).toEqual({ path: 'params.k99', from: 1, to: 2 });
    expect(changes[MAX_CHANGES]).toEqual({ path: 'and 2 more changes' });
    expect(valueChanges([], wide(MAX_CHANGES + 1, 1), {}).at(-1)).toEqual({ path: 'and 1 more change' });
    expect(valueChanges([], wide(MAX_CHANGES, 1), {})).toHaveLength(MAX_CHANGES);
  });

  it('have paths of at most 200 characters that keep their beginning and end', () => {
    const [{ path } = { path: '' }] = valueChanges(
      ['params'],
      wrapped({ zz: 1 }, 90),
      wrapped({ zz: 2 }, 90),
    );
    // 90 keys of one character fit
    expect(path).toBe(`params${'.a'.repeat(90)}.zz`);
    for (const key of ['key'.repeat(1000), '😀'.repeat(1000), 'name']) {
      const [one] = valueChanges(['params'], wrapped({ zz: 1 }, 90, key), wrapped({ zz: 2 }, 90, key));
      expect(one?.path).toMatch(/^params\..*….*\.zz$/);
      expect(one?.path.length).toBeLessThanOrEqual(200);
      expect(one?.path.isWellFormed()).toBe(true);
    }
  });
});

describe('the comparison with the job of a name', () => {
  it('reads each field of params once, and once more for the list of changes', () => {
    const [fields, levels] = [1000, 90];
    const build = (zz: number) => counted(wrapped({ ...wide(fields, 1), zz }, levels));
    const [from, to] = [build(1), build(2)];
    const job = { task: 'noop', notify: [], schedule: { cron: '@daily', timezone: 'UTC' }, overlap: 'skip' };
    const spec = { ...job, params: to.value } as unknown as JobSpec;
    const head = { ...job, status: 'active' } as unknown as Head;
    const definition = { params: from.value as Head['tags'], notify: [] };
    const { action, changes } = compareNamed({ spec, paused: false }, head, definition, 0);
    expect(action).toBe('update');
    const size = fields + levels + 1;
    expect(from.reads()).toBeLessThanOrEqual(size);
    expect(to.reads()).toBeLessThanOrEqual(size);
    expect(changes()).toHaveLength(1);
    expect(from.reads()).toBeLessThanOrEqual(2 * size);
  });
});
