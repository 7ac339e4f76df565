// The geometry of the lateness dots.
import { describe, expect, it } from 'vitest';
import {
  type LatenessPoint,
  latenessPicture,
  latenessSentence,
  quantile,
} from '../../../console/marks/lateness-geometry.ts';

const BOX = { left: 50, top: 10, right: 700, bottom: 180 };
const points = (...lateness: number[]): LatenessPoint[] =>
  lateness.map((latenessMs, i) => ({ id: `e${i}`, dueAt: i * 60_000, latenessMs }));

describe('the lateness dots', () => {
  it('stay within the box, also for clocks that are behind and for days of lateness', () => {
    const { dots } = latenessPicture(points(-20, 0, 1, 40, 5000, 3 * 86_400_000, 10 ** 12), BOX);
    for (const { x, y } of dots) {
      expect(x).toBeGreaterThanOrEqual(BOX.left);
      expect(x).toBeLessThanOrEqual(BOX.right);
      expect(y).toBeGreaterThanOrEqual(BOX.top);
      expect(y).toBeLessThanOrEqual(BOX.bottom);
    }
  });

  it('have the same distance between 1 and 10 ms as between 100 ms and 1 s', () => {
    const [a, b, c, d] = latenessPicture(points(1, 10, 100, 1000), BOX).dots.map(({ y }) => y);
    expect((a ?? 0) - (b ?? 0)).toBeCloseTo((c ?? 0) - (d ?? 0), 1);
  });

  it('have a scale up to 1 s at least, so that 3 ms is near its lower end', () => {
    const { ticks, dots } = latenessPicture(points(3), BOX);
    expect(ticks.map(({ text }) => text)).toEqual(['1 ms', '10 ms', '100 ms', '1 s']);
    expect(dots[0]?.y).toBeGreaterThan((BOX.top + BOX.bottom) / 2);
    expect(dots[0]?.x).toBe((BOX.left + BOX.right) / 2);
  });

  it('are drawn without any point', () => {
    expect(latenessPicture([], BOX)).toMatchObject({ dots: [], median: 0, p99: 0 });
    expect(latenessSentence([])).toBe('No run has started yet');
  });

  it('are described by the median, the 99th percentile and the worst', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
    expect(latenessSentence(points(...hundred.slice(0, 99), 5000))).toBe(
      'Lateness of 100 starts, half within 50 ms, 99 % within 99 ms, worst 5 s, 1 later than 1 s',
    );
    expect(quantile([7], 0.99)).toBe(7);
  });
});
