// Percentiles by nearest rank: the smallest value that at least the given share of all values does not exceed.

/** A value and how often it occurs. */
export type Counted = readonly [value: number, count: number];

/** Undefined if there are no values. */
export function percentilesOf(
  values: Iterable<Counted>,
): { readonly p50: number; readonly p99: number } | undefined {
  const sorted = [...values].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return undefined;
  const at = (share: number): number => {
    let left = Math.ceil(total * share);
    for (const [value, count] of sorted) {
      left -= count;
      if (left <= 0) return value;
    }
    return sorted.at(-1)?.[0] ?? 0;
  };
  return { p50: at(0.5), p99: at(0.99) };
}
