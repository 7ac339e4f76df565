import { describe, expect, it } from 'vitest';
import { TICKS_PER_SECOND } from '../../bench/model/calendar.ts';
import { Capacity } from '../../bench/model/capacity.ts';

const open = (partitions: number, burstSeconds = 0, seed = 1) =>
  new Capacity({ name: 'slots', partitions, limit: 1_000, burstSeconds, seed });

/** `units` a second of one key, one by one. */
function ask(capacity: Capacity, key: number, units: number, seconds: number, from = 0): void {
  for (let second = from; second < from + seconds; second++) {
    for (let i = 0; i < units; i++)
      capacity.take(key, 1, second * TICKS_PER_SECOND + Math.floor((i / units) * TICKS_PER_SECOND));
  }
}

describe('a partition', () => {
  it('throttles exactly what is above its limit', () => {
    const capacity = open(60);
    ask(capacity, 7, 1_500, 10);
    expect(capacity.given).toBe(10_000);
    expect(capacity.throttled).toBe(5_000);
    expect(capacity.hottest(10)).toBe(1_500);
    expect(capacity.busiestSecond()).toBe(1_000);
  });

  it('throttles nothing at its limit', () => {
    const capacity = open(60);
    ask(capacity, 7, 1_000, 10);
    expect(capacity.throttled).toBe(0);
  });

  it('gives its saved burst units, and no more', () => {
    const capacity = open(1, 5);
    ask(capacity, 7, 2_000, 10);
    // units of five seconds were saved at the beginning, and none were left to save
    expect(capacity.given).toBe(15_000);
    ask(capacity, 7, 1_500, 1, 20);
    expect(capacity.throttled).toBe(5_000);
  });

  it('uses nothing for refunded units', () => {
    const capacity = open(1);
    for (let i = 0; i < 5_000; i++) {
      expect(capacity.take(1, 1, 0)).toBe(true);
      capacity.refund(1, 1);
    }
    expect(capacity.given).toBe(0);
  });
});

/** docs/facts.md#shards: 30,000 units a second over so many keys of the current minute, on 60 partitions. */
describe.each([
  [64, 0.1, 0.02],
  [128, 0.035, 0.01],
  [256, 0.007, 0.004],
  [512, 0.001, 0.001],
])('30,000 units/s over %i keys on 60 partitions', (keys, share, give) => {
  it(`are above the limit by about ${share * 100} %`, () => {
    const SEEDS = 60;
    let throttled = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const capacity = open(60, 0, seed);
      for (let i = 0; i < 30_000; i++) capacity.take(i % keys, 1, Math.floor(i / 3));
      throttled += capacity.throttled;
    }
    expect(throttled / (SEEDS * 30_000)).toBeGreaterThan(share - give);
    expect(throttled / (SEEDS * 30_000)).toBeLessThan(share + give);
  });
});
