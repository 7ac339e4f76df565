import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextSort, rowWindow, sortOf, sortRows, sortText } from '../../../console/parts/row-window.ts';

describe('the window of a long list', () => {
  it('has all rows up to 100', () => {
    expect(rowWindow({ count: 100, rowHeight: 30, scrolled: 2_000, viewHeight: 900 })).toEqual({
      first: 0,
      end: 100,
    });
  });

  it('has every visible row, few others, and never more than there are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 101, max: 100_000 }),
        fc.integer({ min: 10, max: 80 }),
        fc.integer({ min: -5_000, max: 9_000_000 }),
        fc.integer({ min: 100, max: 3_000 }),
        (count, rowHeight, scrolled, viewHeight) => {
          const { first, end } = rowWindow({ count, rowHeight, scrolled, viewHeight });
          expect(first).toBeGreaterThanOrEqual(0);
          expect(end).toBeLessThanOrEqual(count);
          expect(end - first).toBeLessThanOrEqual(Math.ceil(viewHeight / rowHeight) + 60);
          const topRow = Math.floor(scrolled / rowHeight);
          const bottomRow = Math.ceil((scrolled + viewHeight) / rowHeight) - 1;
          for (const row of [topRow, bottomRow].filter((row) => row >= 0 && row < count)) {
            expect(row).toBeGreaterThanOrEqual(first);
            expect(row).toBeLessThan(end);
          }
        },
      ),
    );
  });
});

describe('the order of the loaded rows', () => {
  it('compares numbers as numbers and texts as people do', () => {
    expect(sortRows([10, 9, 100], (row) => row, false)).toEqual([9, 10, 100]);
    expect(sortRows(['job-10', 'job-9', 'Job-1'], (row) => row, false)).toEqual(['Job-1', 'job-9', 'job-10']);
  });

  it('puts rows without a value last in both directions, and keeps equal rows in order', () => {
    const rows = [{ v: undefined }, { v: 2 }, { v: 1 }];
    expect(sortRows(rows, ({ v }) => v, false).map(({ v }) => v)).toEqual([1, 2, undefined]);
    expect(sortRows(rows, ({ v }) => v, true).map(({ v }) => v)).toEqual([2, 1, undefined]);
    const equal = [
      { id: 'a', v: 1 },
      { id: 'b', v: 1 },
    ];
    expect(sortRows(equal, ({ v }) => v, true)).toEqual(equal);
  });

  it('is in the address as the name of a column', () => {
    expect(sortOf('-next')).toEqual({ column: 'next', descending: true });
    expect(sortOf(null)).toBeUndefined();
    expect(sortText({ column: 'next', descending: true })).toBe('-next');
  });

  it('goes from ascending to descending to the order of the server', () => {
    const ascending = nextSort(undefined, 'name');
    const descending = nextSort(ascending, 'name');
    expect([ascending?.descending, descending?.descending, nextSort(descending, 'name')]).toEqual([
      false,
      true,
      undefined,
    ]);
    expect(nextSort(descending, 'status')).toEqual({ column: 'status', descending: false });
  });
});
