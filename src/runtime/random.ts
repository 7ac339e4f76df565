// Random ids and numbers.
import { randomFillSync } from 'node:crypto';
import { base62 } from '../domain/executions/ids.ts';
import type { Random } from '../scheduling/context.ts';

/** Random bytes for the next ids. A request for a few bytes costs as much as one for thousands. */
const pool = new Uint8Array(4096);
let unused = 0;

function randomBytes(count: number): Uint8Array {
  if (unused < count) {
    randomFillSync(pool);
    unused = pool.length;
  }
  unused -= count;
  return pool.subarray(unused, unused + count);
}

export const systemRandom: Random = {
  id: (length) => base62(randomBytes(length), length),
  float: () => Math.random(),
};
