// The stored form of `except`. Times get an offset, dates and patterns stay local.
import { InvalidInput } from '../errors.ts';
import { parseCron } from './cron.ts';
import type { Exclusion } from './exclusions.ts';
import { isDate, MAX_EXCEPT_BYTES } from './exclusions.ts';
import { FIRST_YEAR, instantMs, resolveInstant } from './instant.ts';
import { quote, refuse } from './refuse.ts';

/** A local time without a timezone is an error, as in `startAt`. Dates and patterns are then those of UTC. */
export function normalizeExcept(except: readonly Exclusion[], timezone: string | undefined): Exclusion[] {
  const stored = except.map((exclusion, n) =>
    normalizeExclusion(exclusion, timezone, `schedule.except[${n}]`),
  );
  const { length } = JSON.stringify(stored);
  if (length > MAX_EXCEPT_BYTES) {
    refuse(
      'schedule.except',
      `has ${length} bytes of JSON as it is stored; at most ${MAX_EXCEPT_BYTES} are allowed. A range or a pattern may replace several dates`,
    );
  }
  return stored;
}

function normalizeExclusion(exclusion: Exclusion, timezone: string | undefined, path: string): Exclusion {
  if (typeof exclusion === 'string') {
    if (!isDate(exclusion))
      refuse(path, `${quote(exclusion)} is not a date such as 2026-12-25; for a time, use { from, to }`);
    requireDate(exclusion, path);
    return exclusion;
  }
  if ('cron' in exclusion) {
    requirePattern(exclusion.cron, `${path}.cron`);
    return { cron: exclusion.cron };
  }
  const { from, to } = exclusion;
  if (isDate(from) !== isDate(to)) {
    refuse(
      `${path}.to`,
      `from and to must both be dates or both be times; got ${quote(from)} and ${quote(to)}`,
    );
  }
  if (isDate(from)) {
    requireDate(from, `${path}.from`);
    requireDate(to, `${path}.to`);
    if (to < from) refuse(`${path}.to`, `${quote(to)} is before from, ${quote(from)}`);
    return { from, to };
  }
  const stored = {
    from: resolveInstant(from, timezone, `${path}.from`),
    to: resolveInstant(to, timezone, `${path}.to`),
  };
  if (instantMs(stored.to) < instantMs(stored.from))
    refuse(`${path}.to`, `${quote(stored.to)} is before from, ${quote(stored.from)}`);
  return stored;
}

function requireDate(date: string, path: string): void {
  const parsed = new Date(`${date}T00:00:00Z`);
  // Some engines turn 30 February into 2 March.
  if (Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 10) !== date)
    refuse(path, `${quote(date)} does not exist: check the month and the day of the month`);
  if (parsed.getUTCFullYear() < FIRST_YEAR || parsed.getUTCFullYear() > 2199)
    refuse(path, `${quote(date)} is out of range: the year must be from ${FIRST_YEAR} to 2199`);
}

function requirePattern(cron: string, path: string): void {
  if (/^\s*(rate|at)\s*\(/i.test(cron)) refuse(path, `${quote(cron)} is not a cron pattern`);
  try {
    parseCron(cron);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(error.errors.map(({ message }) => ({ path, message })));
  }
}
