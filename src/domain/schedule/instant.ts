// ISO 8601 times. With an offset they are instants, without one they are local times of a timezone.
import { quote, refuse } from './refuse.ts';
import { instantsOf, offsetAt } from './zones.ts';

/** The first possible due time: keys have 13 digits and no sign. */
export const START_OF_TIME = 0;
/** No occurrence is due at or after this time. AWS's cron has the same last year, 2199. */
export const END_OF_TIME = Date.UTC(2200, 0, 1);

export const FIRST_YEAR = 1970;

const PATTERN = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3})\d*)?)?(Z|[+-]\d\d:\d\d)?$/;
const EXAMPLES = 'such as 2026-12-01T10:00:00Z, 2026-12-01T10:00:00+01:00, or a local time with a timezone';

/** The text with an explicit offset. Throws InvalidInput for a local time that does not exist in the timezone. */
export function resolveInstant(text: string, zone: string | undefined, path: string): string {
  const found = PATTERN.exec(text);
  if (!found) refuse(path, `${quote(text)} is not an ISO 8601 time ${EXAMPLES}`);
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((part) => Number(part ?? 0));
  const local = Date.UTC(
    year ?? 0,
    (month ?? 1) - 1,
    day,
    hour,
    minute,
    second,
    Number((found[7] ?? '').padEnd(3, '0')),
  );
  // Date.UTC turns 30 February into 2 March.
  if (!text.startsWith(new Date(local).toISOString().slice(0, 16)) || (second ?? 0) > 59) {
    refuse(path, `${quote(text)} does not exist: check the day of the month and the time of day`);
  }
  if (local >= END_OF_TIME || (year ?? 0) < FIRST_YEAR) {
    refuse(path, `${quote(text)} is out of range: the year must be from ${FIRST_YEAR} to 2199`);
  }
  const offset = found[8];
  if (offset) {
    if (!/^Z$|^[+-](0\d|1[0-5]):[0-5]\d$/.test(offset)) {
      refuse(path, `${quote(text)} has the offset ${offset}: allowed are -15:59 to +15:59, or Z`);
    }
    return text;
  }
  if (!zone) refuse(path, `${quote(text)} has no offset: add Z or an offset such as +01:00, or set timezone`);
  const [first] = instantsOf(zone, local);
  if (first === undefined) {
    refuse(path, `${quote(text)} does not exist in ${zone}: clocks go forward and skip it`);
  }
  return `${text}${offsetText(local - first)}`;
}

/** `text` has an offset. */
export const instantMs = (text: string): number => Date.parse(text);

export const isoUtc = (instant: number): string => new Date(instant).toISOString();

/** The local time in the zone with its offset: `2026-12-01T10:00:00+01:00`. */
export function isoIn(zone: string, instant: number): string {
  const offset = offsetAt(zone, instant);
  return `${new Date(instant + offset).toISOString().slice(0, 19)}${offsetText(offset)}`;
}

/** `Z`, `+05:30`, `-08:00`. */
export function offsetText(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.trunc(Math.abs(offset) / 60_000);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
