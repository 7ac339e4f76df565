// Random numbers of the model. They depend on a seed, so that every run can be repeated.
import type { Seeded } from '../../test/support/seeded.ts';
import { TICKS_PER_MS } from './calendar.ts';
import { figure } from './parameters.ts';

/** A hash of a number. */
export function mix(n: number, salt: number): number {
  let h = Math.imul(n ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 13), 0x27d4eb2f);
  return (h ^ (h >>> 16)) >>> 0;
}

const SAMPLES = 4096;

/** Samples of the latency of a service, in ticks. */
export const latencyOf = (random: Seeded, service: 'DynamoDB' | 'SQS'): (() => number) =>
  latency(
    random,
    figure(`${service} latency, median`) * TICKS_PER_MS,
    figure(`${service} latency, p99`) * TICKS_PER_MS,
  );

/** Samples of a log-normal distribution. */
function latency(random: Seeded, median: number, p99: number): () => number {
  const sigma = Math.log(p99 / median) / 2.326;
  const samples = Float64Array.from({ length: SAMPLES }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random.float())) * Math.cos(2 * Math.PI * random.float());
    return median * Math.exp(sigma * normal);
  });
  return () => samples[random.bits() % SAMPLES] as number;
}
