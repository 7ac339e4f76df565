// ISO 8601 times: with an offset they are instants, without one they are a clock's face in some timezone.
import { quote, refuse } from './refuse.ts';
import { instantsOf, offsetAt } from './zones.ts';

/** Nothing is due before: keys hold 13 digits and no sign. */
export const START_OF_TIME = 0;
/** Nothing is scheduled from here on: keys hold 13 digits, and AWS's cron ends here too. */
export const END_OF_TIME = Date.UTC(2200, 0, 1);

const FIRST_YEAR = 1970;

const PATTERN = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,3})\d*)?)?(Z|[+-]\d\d:\d\d)?$/;
const EXAMPLES = 'such as 2026-12-01T10:00:00Z, 2026-12-01T10:00:00+01:00, or a local time with a timezone';

/** The text with its offset made explicit. Refuses what no clock shows. */
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
  // Date.UTC carries over what is out of range: 30 February comes back as 2 March
  if (!text.startsWith(new Date(local).toISOString().slice(0, 16)) || (second ?? 0) > 59) {
    refuse(path, `${quote(text)} is not a time that exists: check the day of the month and the time of day`);
  }
  if (local >= END_OF_TIME || (year ?? 0) < FIRST_YEAR) {
    refuse(path, `${quote(text)} is too far away: the year is from ${FIRST_YEAR} to 2199`);
  }
  const offset = found[8];
  if (offset) {
    if (!/^Z$|^[+-](0\d|1[0-5]):[0-5]\d$/.test(offset)) {
      refuse(path, `${quote(text)} has the offset ${offset}: allowed are -15:59 to +15:59, or Z`);
    }
    return text;
  }
  if (!zone) refuse(path, `${quote(text)} says no offset: add Z or one such as +01:00, or give a timezone`);
  const [first] = instantsOf(zone, local);
  if (first === undefined) {
    refuse(path, `${quote(text)} does not exist in ${zone}: clocks are put forward over it`);
  }
  return `${text}${offsetText(local - first)}`;
}

/** Of a text with an offset. */
export const instantMs = (text: string): number => Date.parse(text);

export const isoUtc = (instant: number): string => new Date(instant).toISOString();

/** As a clock in the zone shows it, with the offset: `2026-12-01T10:00:00+01:00`. */
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
