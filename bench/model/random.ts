// Chance in the model: by a seed, so that every run can be repeated.
import type { Seeded } from '../../test/support/seeded.ts';
import { TICKS_PER_MS } from './calendar.ts';
import { figure } from './parameters.ts';

/** Spreads numbers as a hash spreads keys: the same for the same number, without any pattern. */
export function mix(n: number, salt: number): number {
  let h = Math.imul(n ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 13), 0x27d4eb2f);
  return (h ^ (h >>> 16)) >>> 0;
}

const SAMPLES = 4096;

/** Ticks until a service has answered. */
export const answersOf = (random: Seeded, service: 'DynamoDB' | 'SQS'): (() => number) =>
  latency(
    random,
    figure(`${service} answers, median`) * TICKS_PER_MS,
    figure(`${service} answers, p99`) * TICKS_PER_MS,
  );

/** Times that are mostly about the median and seldom much longer: log-normal. `p99` is what one in a hundred exceeds. */
function latency(random: Seeded, median: number, p99: number): () => number {
  const sigma = Math.log(p99 / median) / 2.326;
  const samples = Float64Array.from({ length: SAMPLES }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random.float())) * Math.cos(2 * Math.PI * random.float());
    return median * Math.exp(sigma * normal);
  });
  return () => samples[random.bits() % SAMPLES] as number;
}
