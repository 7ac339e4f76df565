/** A point in time: a date, or ISO 8601 with an offset. */
export type Instant = Date | string;

/** Epoch milliseconds. Throws if the text has no offset, because its meaning would depend on the machine. */
export function timeOf(instant: Instant, field: string): number {
  const time = instant instanceof Date ? instant.getTime() : Date.parse(instant);
  const hasOffset = instant instanceof Date || /(Z|[+-]\d\d:?\d\d)$|^\d{4}-\d\d-\d\d$/.test(instant);
  if (Number.isNaN(time) || !hasOffset)
    throw new TypeError(
      `${field} must be a Date or ISO 8601 with an offset, such as 2026-12-01T10:00:00Z, got ${JSON.stringify(instant)}`,
    );
  return time;
}
