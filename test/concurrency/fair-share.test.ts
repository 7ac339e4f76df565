import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairShare } from '../../src/concurrency/fair-share.ts';

/** What owners that come one after the other get, each as much as it may. */
function filled(size: number, share: number, owners: number): number[] {
  const rule = createFairShare(share);
  let free = size;
  return Array.from({ length: owners }, () => {
    let held = 0;
    while (rule.allows(held, { size, free })) {
      held++;
      free--;
    }
    return held;
  });
}

describe('the share of an owner', () => {
  it('is 80 % for one owner, 16 % for a second and 3 % for a third, and a fourth one still gets a slot', () => {
    expect(filled(100, 0.8, 5)).toEqual([80, 16, 3, 1, 0]);
    expect(filled(1_000, 0.8, 4)).toEqual([800, 160, 32, 6]);
  });

  it.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 4],
    [6, 4],
    [7, 5],
    [10, 8],
    [25, 20],
  ])('of %i slots is %i: up to four slots are not shared', (size, alone) => {
    expect(filled(size, 0.8, 1)).toEqual([alone]);
  });

  it('is everything with a share of 1', () => {
    expect(filled(100, 1, 2)).toEqual([100, 0]);
  });

  it('leaves a slot for the next owner, gives everybody one of those, and is never more than the share and one', () => {
    const sizes = fc.integer({ min: 1, max: 200 });
    const shares = fc.double({ min: 0.1, max: 1, noNaN: true });
    fc.assert(
      fc.property(sizes, shares, (size, share) => {
        const { alpha } = createFairShare(share);
        const [first = 0, second = 0] = filled(size, share, 2);
        expect(first).toBeGreaterThanOrEqual(1);
        if (size <= alpha) expect(first).toBe(size);
        else {
          expect(first).toBeLessThanOrEqual(Math.max(1, size * share + 1));
          expect(first).toBeGreaterThanOrEqual(Math.floor(size * share) - 1);
          expect(second).toBeGreaterThanOrEqual(size > 1 ? 1 : 0);
        }
      }),
      { numRuns: 500 },
    );
  });
});
