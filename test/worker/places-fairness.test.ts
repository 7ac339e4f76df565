import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairShare } from '../../src/concurrency/fair-share.ts';
import { PLACE_WAIT_MS, Places } from '../../src/worker/places.ts';
import { StandingClock, settle } from '../support/standing-clock.ts';

const clock = new StandingClock();

/** Acquires until one call waits. Returns the number of places. */
async function fill(places: Places, owner: string): Promise<number> {
  for (let held = 0; ; held++) {
    let acquired = false;
    void places.acquire(owner).then((given) => {
      acquired = given;
    });
    await settle();
    if (!acquired) return held;
  }
}

describe('owners share the places', () => {
  it('80, 16 and 3 of 100, and a place is left for a fourth', async () => {
    const places = new Places(100, clock);
    const got: number[] = [];
    for (const owner of ['ann', 'bob', 'cat', 'dan']) got.push(await fill(places, owner));
    expect(got).toEqual([80, 16, 3, 1]);
  });

  it('a free place goes to the waiting owner that holds the fewest, then to the one that waited longest', async () => {
    const places = new Places(5, clock);
    expect(await fill(places, 'ann')).toBe(4);
    expect(await fill(places, 'bob')).toBe(1);
    const order: string[] = [];
    // ann and bob wait already, with one call each
    for (const owner of ['ann', 'ann', 'cat', 'dan', 'cat'])
      void places.acquire(owner).then((given) => given && order.push(owner));
    for (let i = 0; i < 4; i++) {
      places.release('ann', 5);
      await settle();
    }
    expect(order).toEqual(['cat', 'dan']);
    // ann is without a place after four ends, and comes before bob, who has one. One place is left for an owner that has none
    expect(['ann', 'bob', 'cat', 'dan'].map((owner) => places.heldBy(owner))).toEqual([1, 1, 1, 1]);
    expect(places.free).toBe(1);
  });

  it('an owner at its share expects no place for long tasks, and another owner does', async () => {
    const places = new Places(100, clock);
    expect(await fill(places, 'ann')).toBe(80);
    places.release('ann', 600_000);
    await settle();
    expect(places.heldBy('ann')).toBe(80);
    expect(['ann', 'bob'].map((owner) => places.isExpected(owner))).toEqual([false, true]);
    expect(await fill(places, 'bob')).toBe(16);
    expect(['ann', 'bob', 'cat'].map((owner) => places.isExpected(owner))).toEqual([false, false, true]);
  });

  it('run times of one owner do not make those of another look long', async () => {
    const places = new Places(10, clock);
    expect(await fill(places, 'ann')).toBe(8);
    for (let i = 0; i < 50; i++) {
      places.release('ann', 60_000);
      void places.acquire('ann');
    }
    expect(await fill(places, 'bob')).toBe(1);
    for (let i = 0; i < 50; i++) {
      places.release('bob', 10);
      void places.acquire('bob');
    }
    expect(places.isExpected('bob')).toBe(true);
    expect(places.isExpected('ann')).toBe(false);
  });
});

/** A worker in miniature: executions arrive, wait, run and end, and refused ones come again. */
interface Arrival {
  readonly owner: number;
  readonly atMs: number;
  readonly runMs: number;
}

const arrivals = fc.array(
  fc.record({
    owner: fc.nat({ max: 5 }),
    atMs: fc.nat({ max: 3_000 }),
    runMs: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 500, max: 20_000 })),
  }),
  { minLength: 1, maxLength: 120 },
);

it('every execution runs in the end, nobody exceeds its share, and an owner without a place gets the next free one', async () => {
  const sizes = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 200 }));
  const shares = fc.constantFrom(0.1, 0.5, 0.8, 0.9, 1);
  await fc.assert(
    fc.asyncProperty(sizes, shares, arrivals, async (size, share, list) => {
      const time = new StandingClock();
      const rule = createFairShare(share);
      const places = new Places(size, time, rule);
      const held = new Map<string, number>();
      /** Calls that wait for a place of an owner that had none when they came. */
      const waitingWithNone = new Set<{ readonly name: string }>();
      let used = 0;
      let ended = 0;
      const change = (owner: string, by: number) => {
        held.set(owner, (held.get(owner) ?? 0) + by);
        used += by;
      };
      const one = async ({ owner: number, atMs, runMs }: Arrival) => {
        const owner = `o${number}`;
        await time.sleep(atMs);
        for (;;) {
          const before = held.get(owner) ?? 0;
          const call = { name: owner };
          if (before === 0 && used === size) waitingWithNone.add(call);
          if (!(await places.acquire(owner))) {
            waitingWithNone.delete(call);
            await time.sleep(100 + number);
            continue;
          }
          change(owner, 1);
          const mine = held.get(owner) ?? 0;
          // the next place was not given to an owner that has some, while one without any waited
          if (mine > 1)
            expect([...waitingWithNone].filter(({ name }) => !held.get(name) && name !== owner)).toEqual([]);
          waitingWithNone.delete(call);
          expect(used).toBeLessThanOrEqual(size);
          if (size > rule.alpha && mine > 1)
            expect(mine - 1).toBeLessThan(rule.alpha * Math.max(1, size - used + 1));
          await time.sleep(runMs);
          change(owner, -1);
          places.release(owner, runMs);
          break;
        }
        ended++;
      };
      const all = list.map(one);
      for (let steps = 0; ended < list.length && steps < 40_000; steps++)
        await time.advance(PLACE_WAIT_MS / 4);
      expect(ended).toBe(list.length);
      await Promise.all(all);
      expect(places.free).toBe(size);
      expect(places.heldBy('o0')).toBe(0);
    }),
    { numRuns: 30 },
  );
});
