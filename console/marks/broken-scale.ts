// A time scale with breaks: waits that are much longer than the rest take a fixed width and are marked as broken.
import { px } from './scales.ts';

/** A stretch of time between two neighbouring instants of a picture. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Nothing happens in it, so that its length may be broken. */
  readonly idle: boolean;
}

export interface BrokenScale {
  /** The position of an instant. */
  readonly x: (instant: number) => number;
  /** The broken stretches, with the position of their middle. */
  readonly breaks: readonly { readonly from: number; readonly to: number; readonly x: number }[];
}

/** The share of the width that a broken stretch takes. */
const BREAK_SHARE = 0.08;

/** `instants` in any order. `isIdle` says whether a stretch between neighbours may be broken. */
export function brokenScale(
  instants: readonly number[],
  isIdle: (from: number, to: number) => boolean,
  left: number,
  right: number,
): BrokenScale {
  const sorted = [...new Set(instants)].sort((a, b) => a - b);
  const stretches = sorted.slice(1).map((to, i) => {
    const from = sorted[i] ?? to;
    return { from, to, idle: isIdle(from, to) };
  });
  const broken = brokenStretches(stretches);
  const whole = stretches.filter((stretch) => !broken.has(stretch));
  const total = whole.reduce((sum, { from, to }) => sum + to - from, 0);
  const breakWidth = total === 0 ? 1 / Math.max(broken.size, 1) : BREAK_SHARE;
  const perMs = total === 0 ? 0 : (1 - broken.size * breakWidth) / total;
  const ends: number[] = [0];
  for (const stretch of stretches) {
    const width = broken.has(stretch) ? breakWidth : (stretch.to - stretch.from) * perMs;
    ends.push((ends.at(-1) ?? 0) + width);
  }
  const x = (instant: number): number => {
    const after = sorted.findIndex((at) => at >= instant);
    if (after <= 0) return px(after === 0 ? left : right);
    const [from = 0, to = 0] = [sorted[after - 1], sorted[after]];
    const [start = 0, end = 0] = [ends[after - 1], ends[after]];
    return px(left + (start + ((instant - from) / (to - from)) * (end - start)) * (right - left));
  };
  return {
    x,
    breaks: [...broken].map(({ from, to }) => ({ from, to, x: px((x(from) + x(to)) / 2) })),
  };
}

/** Breaks the longest idle stretch as long as it takes more time than everything else that is drawn to scale. */
function brokenStretches(stretches: readonly Stretch[]): Set<Stretch> {
  const broken = new Set<Stretch>();
  const idle = stretches.filter((stretch) => stretch.idle).sort((a, b) => lengthOf(b) - lengthOf(a));
  let rest = stretches.reduce((sum, stretch) => sum + lengthOf(stretch), 0);
  for (const stretch of idle) {
    rest -= lengthOf(stretch);
    if (lengthOf(stretch) <= rest) break;
    broken.add(stretch);
  }
  return broken;
}

const lengthOf = ({ from, to }: Stretch): number => to - from;
