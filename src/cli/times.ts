// Times and durations in arguments and in output.
import { InvalidInput } from '../domain/errors.ts';
import { lengthText } from '../domain/length-text.ts';
import { durationMs } from '../domain/schedule/duration.ts';
import { type Options, UsageError, type Values } from './command.ts';

export { lengthText };

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** The ISO 8601 form of `90s`, `15m`, `2h` or `1d`. A duration in ISO 8601 is returned unchanged. */
export function isoDuration(text: string, option: string): string {
  const found = /^(\d+(?:\.\d+)?)(s|m|h|d|w)$/.exec(text);
  if (!found) {
    millisecondsOf(text, option);
    return text;
  }
  const [, number = '', unit = ''] = found;
  const iso = `P${'shm'.includes(unit) ? 'T' : ''}${number}${unit.toUpperCase()}`;
  if (unit !== 's' && number.includes('.')) return `PT${Math.round(millisecondsOf(text, option) / 1000)}S`;
  return iso;
}

export function millisecondsOf(text: string, option: string): number {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text);
  if (found) return Number(found[1]) * UNITS[found[2] as keyof typeof UNITS];
  try {
    return durationMs(text, option);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new UsageError(
      `${option} must be a duration such as 90s, 15m, 2h, 1d or PT90S, got ${JSON.stringify(text)}`,
    );
  }
}

/** Parses `now`, a duration before now (`24h`), a day (its start in UTC) or an ISO 8601 time with an offset. */
export function instantOf(text: string, now: number, option: string): number {
  if (text === 'now') return now;
  if (/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)) {
    const at = Date.parse(text);
    const day = text.slice(0, 10);
    // Date.parse takes 30 February for 2 March
    if (!Number.isNaN(at) && new Date(`${day}T00:00Z`).toISOString().startsWith(day)) return at;
  }
  if (/^(\d|P)/.test(text) && !text.includes('-')) return now - millisecondsOf(text, option);
  throw new UsageError(
    `${option} must be a time such as 2026-12-01T10:00:00Z, a day such as 2026-12-01, "now", or a duration before now such as 24h; got ${JSON.stringify(text)}`,
  );
}

/** Parses a duration from now (`2h`), a day (its start in UTC) or an ISO 8601 time with an offset. */
export function futureOf(text: string, now: number, option: string): number {
  if (/^(\d|P)/.test(text) && !text.includes('-')) return now + millisecondsOf(text, option);
  return instantOf(text, now, option);
}

export const RANGE_FLAGS = {
  from: {
    type: 'string',
    value: '<time>',
    about: 'first due time: 2026-12-01T10:00:00Z, 2026-12-01, or 24h (ago)',
  },
  to: { type: 'string', value: '<time>', about: 'due before this time' },
} as const satisfies Options;

/** `from` and `to` of a query. A flag that is not given is left out. */
export const rangeOf = ({ from, to }: Values<typeof RANGE_FLAGS>, now: number) => ({
  ...(from !== undefined && { from: iso(instantOf(from, now, '--from')) }),
  ...(to !== undefined && { to: iso(instantOf(to, now, '--to')) }),
});

export const iso = (instant: number): string => new Date(instant).toISOString();

/** `in 3 min`, `2 h ago`, `now`. */
export function relative(instant: number, now: number): string {
  const distance = instant - now;
  if (Math.abs(distance) < 500) return 'now';
  const rounded = Math.abs(distance) < 10_000 ? Math.round(distance / 1000) * 1000 : distance;
  const text = Math.abs(rounded) < 10_000 ? `${Math.abs(rounded) / 1000} s` : lengthText(Math.abs(rounded));
  return distance > 0 ? `in ${text}` : `${text} ago`;
}

export interface TimeStyle {
  readonly absolute: boolean;
  now(): number;
}

/** A time of the API in a table: relative to now, or in ISO 8601 with --absolute. */
export const timeText = (time: string | undefined, style: TimeStyle): string =>
  time === undefined ? '' : style.absolute ? time : relative(Date.parse(time), style.now());

/** `in 3 min (2026-12-01T10:00:00Z)`, or the ISO 8601 time alone with --absolute. */
export const bothTimes = (time: string | undefined, style: TimeStyle): string | undefined =>
  time && (style.absolute ? time : `${relative(Date.parse(time), style.now())} (${time})`);
