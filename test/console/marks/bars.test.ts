// The geometry of counts per minute.
import { expect, it } from 'vitest';
import { placeBars, scaleEnd } from '../../../console/marks/bars-geometry.ts';

const BOX = { left: 0, right: 100, top: 0, bottom: 100 };
const bar = (at: number, good: number, bad: number) => ({
  at,
  parts: [
    { tone: 'good' as const, count: good },
    { tone: 'bad' as const, count: bad },
  ],
});

it('ends the scale at a round number that no bar exceeds', () => {
  expect([0, 1, 2, 3, 9, 11, 120, 501].map(scaleEnd)).toEqual([1, 1, 2, 5, 10, 20, 200, 1000]);
});

it('stacks the parts, and leaves out empty ones', () => {
  const { bars, max } = placeBars([bar(0, 5, 5), bar(1, 0, 0)], BOX);
  expect(max).toBe(10);
  expect(bars[0]?.parts).toEqual([
    { tone: 'good', y: 50, height: 50 },
    { tone: 'bad', y: 0, height: 50 },
  ]);
  expect(bars[1]?.parts).toEqual([]);
});

it('makes one failure beside a thousand runs visible', () => {
  const [first] = placeBars([bar(0, 999, 1)], BOX).bars;
  expect(first?.parts.find(({ tone }) => tone === 'bad')?.height).toBeGreaterThanOrEqual(2);
});

it('keeps bars inside of the box, at the right end if there are fewer than slots', () => {
  const { bars } = placeBars([bar(0, 1, 0), bar(1, 1, 0)], BOX, 10);
  expect(bars[0]?.x).toBeGreaterThanOrEqual(80);
  expect((bars[1]?.x ?? 0) + (bars[1]?.width ?? 0)).toBeLessThanOrEqual(100);
  expect(placeBars([], BOX).bars).toEqual([]);
});
