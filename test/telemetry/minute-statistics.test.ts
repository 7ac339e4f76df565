// The counts of a server of one process, by minute.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { percentilesOf } from '../../src/domain/percentiles.ts';
import {
  classOf,
  createMinuteStatistics,
  MAX_MINUTES,
} from '../../src/telemetry/in-process/minute-statistics.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const T0 = Date.parse('2026-12-01T10:00:00Z');

function opened() {
  const clock = { time: T0, now: () => clock.time };
  return { clock, statistics: createMinuteStatistics(clock) };
}

describe('minutes', () => {
  it('longer buckets add up minutes, and their percentiles are those of all starts', async () => {
    const { clock, statistics } = opened();
    for (let minute = 0; minute < 10; minute++) {
      clock.time = T0 + minute * MINUTE;
      for (let i = 0; i < 10; i++) statistics.add('Lateness', minute * 10 + i);
      statistics.add('Succeeded', 1);
      statistics.add('Running', minute);
    }
    const read = (bucket: 'PT1M' | 'PT5M' | 'PT1H') =>
      statistics.read({ from: T0, to: T0 + 60 * MINUTE, bucket });
    expect(await read('PT1M')).toHaveLength(10);
    expect(await read('PT5M')).toMatchObject([
      { at: T0, started: 50, succeeded: 5, running: 2, latenessMs: { p50: 24, p99: 49 } },
      { at: T0 + 5 * MINUTE, started: 50, succeeded: 5, running: 7, latenessMs: { p50: 74, p99: 99 } },
    ]);
    expect(await read('PT1H')).toMatchObject([{ started: 100, latenessMs: { p50: 49, p99: 98 } }]);
    expect(await statistics.read({ from: T0 + MINUTE, to: T0 + 3 * MINUTE, bucket: 'PT1M' })).toHaveLength(2);
  });

  it('a day is kept, however long the process runs, also if the clock is set back', async () => {
    const { clock, statistics } = opened();
    for (let minute = 0; minute < MAX_MINUTES + 500; minute++) {
      clock.time = T0 + minute * MINUTE;
      statistics.add('Failed', 1);
    }
    expect(statistics.since(clock.time, 'PT1M')).toBe(clock.time - DAY);
    const all = { from: 0, to: T0 + 10 * DAY, bucket: 'PT1M' } as const;
    expect(await statistics.read(all)).toHaveLength(MAX_MINUTES);
    for (let minute = 0; minute < 300; minute++) {
      clock.time = T0 - 9 * DAY + minute * MINUTE;
      statistics.add('Failed', 1);
    }
    expect((await statistics.read(all)).length).toBeLessThanOrEqual(MAX_MINUTES);
  });

  it('metrics that are not shown are ignored', async () => {
    const { statistics } = opened();
    for (const name of ['Workers', 'WriteUnits', 'ClockOffset', 'nothing']) statistics.add(name, 1);
    expect(await statistics.read({ from: T0, to: T0 + MINUTE, bucket: 'PT1M' })).toEqual([]);
  });
});

describe('lateness', () => {
  it('property: a class is at most 2 % below its values, exact up to 100 ms, and never above', () => {
    fc.assert(
      fc.property(fc.nat(200_000_000), (value) => {
        const found = classOf(value);
        if (value <= 100) expect(found).toBe(value);
        expect(found).toBeLessThanOrEqual(value + 1);
        expect(found).toBeGreaterThanOrEqual(value / 1.02 - 1);
      }),
    );
  });

  it('property: the number of classes is bounded, whatever values come', () => {
    const classes = new Set<number>();
    for (let value = 0; value < 1e15; value = Math.ceil(value * 1.003 + 1)) classes.add(classOf(value));
    for (const odd of [-5, Number.NaN, Number.POSITIVE_INFINITY, -0.4]) classes.add(classOf(odd));
    expect(classes.size).toBeLessThan(1_500);
  });

  it('property: percentiles are those of the sorted values', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 300 }), (values) => {
        const sorted = values.toSorted((a, b) => a - b);
        const at = (share: number) => sorted[Math.ceil(values.length * share) - 1];
        expect(percentilesOf(values.map((value) => [value, 1]))).toEqual({ p50: at(0.5), p99: at(0.99) });
      }),
    );
    expect(percentilesOf([])).toBeUndefined();
  });
});
