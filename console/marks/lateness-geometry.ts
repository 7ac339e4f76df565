// The geometry of the lateness dots: due time from left to right, lateness upwards on a logarithmic scale.
import { lengthText } from '../../src/domain/length-text.ts';
import { LATE_MS } from './run-strip-geometry.ts';
import { logPosition, px } from './scales.ts';

export interface LatenessPoint {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
  readonly latenessMs: number;
}

export interface LatenessDot extends LatenessPoint {
  readonly x: number;
  readonly y: number;
  readonly late: boolean;
}

export interface LatenessPicture {
  readonly dots: readonly LatenessDot[];
  readonly ticks: readonly { readonly y: number; readonly text: string }[];
  readonly median: number;
  readonly p99: number;
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The lower end of the scale. A start in the same millisecond, or by a clock that is behind, is drawn there. */
const LEAST_MS = 1;
const TICKS = [1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 86_400_000, 864_000_000];

export function latenessPicture(points: readonly LatenessPoint[], box: Box): LatenessPicture {
  const sorted = points.map(({ latenessMs }) => latenessMs).sort((a, b) => a - b);
  const worst = sorted.at(-1) ?? 0;
  // The scale reaches at least to 1 s, so that 3 ms never looks like a catastrophe.
  const top = TICKS.find((tick) => tick >= Math.max(worst, LATE_MS)) ?? worst;
  const times = points.map(({ dueAt }) => dueAt);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const yOf = (ms: number): number =>
    px(box.bottom - logPosition(ms, LEAST_MS, top) * (box.bottom - box.top));
  const xOf = (at: number): number =>
    px(
      to > from
        ? box.left + ((at - from) / (to - from)) * (box.right - box.left)
        : (box.left + box.right) / 2,
    );
  return {
    dots: points.map((point) => ({
      ...point,
      x: xOf(point.dueAt),
      y: yOf(point.latenessMs),
      late: point.latenessMs > LATE_MS,
    })),
    ticks: TICKS.filter((tick) => tick <= top).map((tick) => ({ y: yOf(tick), text: lengthText(tick) })),
    median: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
  };
}

/** The smallest value that at least the share `q` of the values does not exceed. 0 without values. */
export const quantile = (ascending: readonly number[], q: number): number =>
  ascending[Math.max(0, Math.ceil(q * ascending.length) - 1)] ?? 0;

export function latenessSentence(points: readonly LatenessPoint[]): string {
  if (points.length === 0) return 'No run has started yet';
  const sorted = points.map(({ latenessMs }) => latenessMs).sort((a, b) => a - b);
  const late = sorted.filter((ms) => ms > LATE_MS).length;
  return [
    `Lateness of ${points.length} ${points.length === 1 ? 'start' : 'starts'}`,
    `half within ${lengthText(quantile(sorted, 0.5))}`,
    `99 % within ${lengthText(quantile(sorted, 0.99))}`,
    `worst ${lengthText(sorted.at(-1) ?? 0)}`,
    `${late} later than ${lengthText(LATE_MS)}`,
  ].join(', ');
}
