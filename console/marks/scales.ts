// The scales that marks share.

/** The position of `value` in [0, 1] on a logarithmic scale. Values outside of `from` and `to` are at its ends. */
export function logPosition(value: number, from: number, to: number): number {
  const inside = Math.min(Math.max(value, from), to);
  return Math.log(inside / from) / Math.log(to / from);
}

/** The position of `value` in [0, 1] on a square-root scale from 0 to `max`. */
export const rootPosition = (value: number, max: number): number =>
  max <= 0 || value <= 0 ? 0 : Math.sqrt(Math.min(value, max) / max);

export const LEVELS = 5;

/** 0 for nothing, else 1 to `LEVELS` on a square-root scale: a few runs stay visible beside many. */
export const levelOf = (value: number, max: number): number =>
  value <= 0 ? 0 : Math.max(1, Math.ceil(rootPosition(value, max) * LEVELS));

/** Rounded to a hundredth, so that the text of a picture stays short. */
export const px = (value: number): number => Math.round(value * 100) / 100;
