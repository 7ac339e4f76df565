// The counts of each level of the heat map.
import { LEVELS } from '../../marks/scales.ts';

/** The counts of a level on the square-root scale: "3–6". Undefined if no count has this level. */
export function levelText(level: number, most: number): string | undefined {
  if (level === 0) return '0';
  const upTo = (step: number) => Math.floor((step / LEVELS) ** 2 * most + 1e-9);
  const [from, to] = [upTo(level - 1) + 1, upTo(level)];
  if (from > to) return undefined;
  return from === to ? String(from) : `${from}–${to}`;
}
