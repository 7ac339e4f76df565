// A frozen deep copy without undefined values, like a value that was written to a database and read again.

export function frozen<T>(value: T): T {
  return copy(value) as T;
}

function copy(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return null;
  if (typeof value === 'bigint') throw new TypeError('a bigint cannot be stored');
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => copy(item) ?? null));
  if (value instanceof Date) return value.toJSON();
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const field = copy((value as Record<string, unknown>)[key]);
    if (field !== undefined && typeof field !== 'function') result[key] = field;
  }
  return Object.freeze(result);
}
