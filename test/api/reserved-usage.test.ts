// Several processes take from one limit. Each process has a `ReservedUsage` of its own on a shared counter.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReservedUsage } from '../../src/jobs/limits/reserved-usage.ts';

/** A counter in a store. `writes` counts the calls. */
function sharedCounter() {
  const used = new Map<number, number>();
  const counter = { used, writes: 0 };
  const reserve = async (_user: string, period: number, count: number, max: number) => {
    counter.writes++;
    await Promise.resolve();
    const sum = (used.get(period) ?? 0) + count;
    if (sum > max) return undefined;
    used.set(period, sum);
    return sum;
  };
  return { counter, reserve };
}

const action = fc.record({
  process: fc.integer({ min: 0, max: 3 }),
  count: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 30 })),
  /** Whether the next action waits for this one. */
  waits: fc.boolean(),
  newPeriod: fc.integer({ min: 0, max: 20 }).map((n) => n === 0),
});

describe('usage that processes reserve', () => {
  it('never exceeds the limit of a period, and all requests are answered', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 150 }),
        fc.integer({ min: 1, max: 100 }),
        async (actions, max) => {
          const { reserve } = sharedCounter();
          const processes = Array.from({ length: 4 }, () => createReservedUsage(reserve));
          const granted = new Map<number, number>();
          const open: Promise<void>[] = [];
          let period = 0;
          for (const { process, count, waits, newPeriod } of actions) {
            if (newPeriod) period++;
            const now = period;
            const taking = (processes[process]?.take('u', now, max, count) ?? Promise.resolve(false)).then(
              (taken) => {
                if (taken) granted.set(now, (granted.get(now) ?? 0) + count);
              },
            );
            open.push(taking);
            if (waits) await taking;
          }
          await Promise.all(open);
          for (const sum of granted.values()) expect(sum).toBeLessThanOrEqual(max);
        },
      ),
    );
  });

  it('one process gets the whole limit, one by one or in parallel', async () => {
    for (const max of [1, 2, 3, 7, 100, 3000]) {
      const { reserve } = sharedCounter();
      const usage = createReservedUsage(reserve);
      const taken = await Promise.all(Array.from({ length: max + 20 }, () => usage.take('u', 1, max, 1)));
      expect(taken.filter(Boolean)).toHaveLength(max);
    }
  });

  it.each([2, 5, 20])('%i processes together get at least half of the limit', async (n) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2000 }),
        fc.infiniteStream(fc.integer({ min: 0, max: n - 1 })),
        async (max, order) => {
          const { reserve } = sharedCounter();
          const processes = Array.from({ length: n }, () => createReservedUsage(reserve));
          let granted = 0;
          for (const process of order.take(max)) {
            if (!(await processes[process]?.take('u', 1, max, 1))) break;
            granted++;
          }
          expect(granted).toBeGreaterThanOrEqual(max / 2);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('a thousand uses cost less than fifty writes, and one use costs one', async () => {
    const { counter, reserve } = sharedCounter();
    const usage = createReservedUsage(reserve);
    await usage.take('u', 1, 3000, 1);
    expect(counter.writes).toBe(1);
    for (let i = 0; i < 999; i++) await usage.take('u', 1, 3000, 1);
    expect(counter.writes).toBeLessThan(50);
  });

  it('a request for many is granted as a whole or takes nothing', async () => {
    const { counter, reserve } = sharedCounter();
    const [a, b] = [createReservedUsage(reserve), createReservedUsage(reserve)];
    expect(await a.take('u', 1, 100, 60)).toBe(true);
    expect(await b.take('u', 1, 100, 60)).toBe(false);
    expect(await b.take('u', 1, 100, 101)).toBe(false);
    expect(counter.used.get(1)).toBe(60);
    expect(await b.take('u', 1, 100, 40)).toBe(true);
    expect(await a.take('u', 1, 100, 1)).toBe(false);
  });

  it('after a refusal of one, a process asks the store no more in this period', async () => {
    const { counter, reserve } = sharedCounter();
    const usage = createReservedUsage(reserve);
    await usage.take('u', 1, 1, 1);
    await usage.take('u', 1, 1, 1);
    const { writes } = counter;
    for (let i = 0; i < 10; i++) expect(await usage.take('u', 1, 1, 1)).toBe(false);
    expect(counter.writes).toBe(writes);
    expect(await usage.take('u', 2, 1, 1)).toBe(true);
  });

  it('a limit that is raised applies within the period', async () => {
    const { reserve } = sharedCounter();
    const usage = createReservedUsage(reserve);
    expect(await usage.take('u', 1, 1, 1)).toBe(true);
    expect(await usage.take('u', 1, 1, 1)).toBe(false);
    expect(await usage.take('u', 1, 2, 1)).toBe(true);
    expect(await usage.take('u', 1, 2, 1)).toBe(false);
  });

  it('a failure of the store is thrown, and the next request tries again', async () => {
    let fails = true;
    const usage = createReservedUsage(async () => {
      if (fails) throw new Error('no answer');
      return 1;
    });
    await expect(usage.take('u', 1, 5, 1)).rejects.toThrow('no answer');
    fails = false;
    expect(await usage.take('u', 1, 5, 1)).toBe(true);
  });
});
