// The difference between two JSON values. It runs in a browser.
import { pathText } from './validation/validation.ts';

export interface ValueChange {
  /** The field, such as `schedule.cron`. */
  readonly path: string;
  /** Absent if the first value has none. */
  readonly from?: unknown;
  /** Absent if the second value has none. */
  readonly to?: unknown;
}

/** The differing values, each by the path of the smallest field that differs. A list is one value. */
export function valueChanges(path: readonly string[], from: unknown, to: unknown): ValueChange[] {
  if (isSameValue(from, to)) return [];
  if (isRecord(from) && isRecord(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) => valueChanges([...path, name], from[name], to[name]));
  }
  return [
    {
      path: pathText(path),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    },
  ];
}

/** Equality of JSON values. The order of keys does not matter, and an undefined field equals an absent one. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSameValue(item, b[i]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => isSameValue(a[name], b[name]));
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
