// The geometry of counts per minute as bars. A bar has parts from bottom to top.
import { px } from './scales.ts';

export interface BarPart {
  readonly tone: 'good' | 'bad' | 'active' | 'quiet';
  readonly count: number;
}

export interface Bar {
  readonly at: number;
  readonly parts: readonly BarPart[];
}

export interface PlacedPart {
  readonly tone: BarPart['tone'];
  readonly y: number;
  readonly height: number;
}

export interface PlacedBar {
  readonly at: number;
  readonly x: number;
  readonly width: number;
  readonly parts: readonly PlacedPart[];
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A count above zero is at least this high, so that one failure beside a thousand runs is visible. */
const MIN_HEIGHT = 2;
const MAX_BAR_WIDTH = 28;

export const totalOf = ({ parts }: Pick<Bar, 'parts'>): number =>
  parts.reduce((sum, { count }) => sum + count, 0);

/** The end of the scale: 1, 2 or 5 times a power of ten. */
export function scaleEnd(max: number): number {
  if (max <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  return ([1, 2, 5, 10].find((step) => step * power >= max) ?? 10) * power;
}

/** `slots`: the number of places. If there are fewer bars, they are at the right end, and nothing is known of the time before. */
export function placeBars(
  bars: readonly Bar[],
  box: Box,
  slots = bars.length,
): { bars: readonly PlacedBar[]; max: number } {
  const max = scaleEnd(Math.max(0, ...bars.map(totalOf)));
  const places = Math.max(slots, bars.length, 1);
  const step = (box.right - box.left) / places;
  const left = box.left + (places - bars.length) * step;
  const width = Math.min(MAX_BAR_WIDTH, Math.max(step * 0.75, 1));
  return {
    max,
    bars: bars.map(({ at, parts }, index) => {
      let y = box.bottom;
      return {
        at,
        x: px(left + index * step + (step - width) / 2),
        width: px(width),
        parts: parts.flatMap(({ tone, count }) => {
          if (count === 0) return [];
          const height = Math.max((count / max) * (box.bottom - box.top), MIN_HEIGHT);
          y -= height;
          return [{ tone, y: px(y), height: px(height) }];
        }),
      };
    }),
  };
}
