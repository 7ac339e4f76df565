// Assertions whose error names what was checked.
import { deepStrictEqual } from 'node:assert/strict';

export function same(is: unknown, wanted: unknown, what: string): void {
  try {
    deepStrictEqual(is, wanted);
  } catch {
    throw new Error(`${what}: is ${JSON.stringify(is)}, should be ${JSON.stringify(wanted)}`);
  }
}

export function holds(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Error(`does not hold: ${what}`);
}
