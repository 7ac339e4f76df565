import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTokenBucket } from '../../src/concurrency/token-bucket.ts';

describe('a token bucket', () => {
  it('grants in any span of time at most the burst and the rate of the span', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 100 }),
        (pauses, rate, burst) => {
          const bucket = createTokenBucket();
          let now = 0;
          const granted: number[] = [];
          for (const pause of pauses) {
            now += pause;
            if (bucket.take(now, rate, burst) === 0) granted.push(now);
          }
          for (let from = 0; from < granted.length; from++)
            for (let to = from; to < granted.length; to++) {
              const span = (granted[to] ?? 0) - (granted[from] ?? 0);
              expect(to - from + 1).toBeLessThanOrEqual(burst + (span * rate) / 1000 + 1e-6);
            }
        },
      ),
    );
  });

  it('grants after the wait that it names, and not a millisecond before', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 900 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 0, max: 2000 }),
        (rate, burst, pause) => {
          const bucket = createTokenBucket();
          let now = pause;
          for (let i = 0; i < burst; i++) expect(bucket.take(now, rate, burst)).toBe(0);
          const wait = bucket.take(now, rate, burst);
          expect(wait).toBeGreaterThan(0);
          if (wait > 1) expect(bucket.take(now + wait - 1, rate, burst)).toBe(1);
          now += wait;
          expect(bucket.take(now, rate, burst)).toBe(0);
        },
      ),
    );
  });

  it('grants the whole burst after a long pause, and no more', () => {
    const bucket = createTokenBucket();
    for (let i = 0; i < 20; i++) bucket.take(0, 5, 10);
    for (let i = 0; i < 10; i++) expect(bucket.take(1e9, 5, 10)).toBe(0);
    expect(bucket.take(1e9, 5, 10)).toBe(200);
  });

  it('a clock that moves back grants nothing twice', () => {
    const bucket = createTokenBucket();
    for (let i = 0; i < 10; i++) expect(bucket.take(10_000, 5, 10)).toBe(0);
    expect(bucket.take(0, 5, 10)).toBeGreaterThan(0);
    expect(bucket.take(100, 5, 10)).toBeGreaterThan(0);
  });

  it('a rate that was raised applies at once', () => {
    const bucket = createTokenBucket();
    for (let i = 0; i < 3; i++) bucket.take(0, 1, 2);
    expect(bucket.take(10, 1000, 2000)).toBe(0);
  });
});
