// Random numbers from FAULT_SEED, which is printed when a test fails. The same seed makes the same decisions, call by call.
import { hash } from '../../../src/domain/hash.ts';

export const SEED = process.env.FAULT_SEED ?? String(Date.now() % 1_000_000);

/** mulberry32 over the seed and a name. In [0, 1). */
export function randomOf(name: string): () => number {
  let state = hash(`${SEED}#${name}`);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
