// The difference between two JSON values. It runs in a browser.
import { pathText, shortKey } from './validation/validation.ts';

export interface ValueChange {
  /** The field, such as `schedule.cron`, in at most 200 characters. */
  readonly path: string;
  /** Absent if the first value has none. */
  readonly from?: unknown;
  /** Absent if the second value has none. */
  readonly to?: unknown;
}

/** The changes that are listed at most. */
export const MAX_CHANGES = 100;

/** The length of a path as text. */
const MAX_PATH = 200;

/**
 * The differing values, each by the path of the smallest field that differs. A list is one value. After 100 changes, the last entry
 * has the number of the others as its path, and neither `from` nor `to`. Each field is read once.
 */
export function valueChanges(path: readonly string[], from: unknown, to: unknown): ValueChange[] {
  const found: Found = { path: [...path], changes: [], more: 0 };
  addChanges(found, from, to);
  const { changes, more } = found;
  if (more > 0) changes.push({ path: `and ${more} more change${more === 1 ? '' : 's'}` });
  return changes;
}

interface Found {
  /** The path of the current field. */
  readonly path: string[];
  readonly changes: ValueChange[];
  /** The number of changes that are not listed. */
  more: number;
}

function addChanges(found: Found, from: unknown, to: unknown): void {
  if (isRecord(from) && isRecord(to)) {
    for (const name in from) addField(found, name, from[name], own(to, name));
    for (const name in to) if (!Object.hasOwn(from, name)) addField(found, name, undefined, to[name]);
  } else if (!isSameValue(from, to)) {
    if (found.changes.length === MAX_CHANGES) found.more++;
    else found.changes.push(changeOf(found.path, from, to));
  }
}

function addField(found: Found, name: string, from: unknown, to: unknown): void {
  if (from === to) return;
  found.path.push(name);
  addChanges(found, from, to);
  found.path.pop();
}

const changeOf = (path: readonly string[], from: unknown, to: unknown): ValueChange => ({
  path: shortPath(path),
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
});

/** A path as text. A long one keeps its beginning and its end. */
function shortPath(path: readonly string[]): string {
  const text = pathText(path.map(shortKey));
  const half = MAX_PATH / 2;
  const short = text.length <= MAX_PATH ? text : `${text.slice(0, half)}…${text.slice(1 - half)}`;
  return short.toWellFormed();
}

/** Equality of JSON values. The order of keys does not matter, and an undefined field equals an absent one. */
export function isSameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, i) => isSameValue(item, b[i]));
  if (!isRecord(a) || !isRecord(b)) return false;
  for (const name in a) if (!isSameValue(a[name], own(b, name))) return false;
  for (const name in b) if (!Object.hasOwn(a, name) && b[name] !== undefined) return false;
  return true;
}

/** Undefined also for a method that every object has. */
const own = (record: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
