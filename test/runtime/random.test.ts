import { expect, it } from 'vitest';
import { systemRandom } from '../../src/runtime/random.ts';

it('makes ids of the requested length in base 62, all different', () => {
  const ids = Array.from({ length: 1000 }, () => systemRandom.id(20));
  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^[0-9A-Za-z]{20}$/);
});
