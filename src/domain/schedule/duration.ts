// Parses ISO 8601 durations of a fixed length, from weeks to seconds.
import { quote, refuse } from './refuse.ts';

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const PATTERN = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/;
const MAX_DURATION = 36_525 * DAY;

/** A day is 24 hours and a week is 7 days, also when clocks change. */
export function durationMs(text: string, path: string): number {
  const given = `the duration ${quote(text)}`;
  if (/^P[^T]*\d[YM]/.test(text)) {
    refuse(
      path,
      `${given} has years or months, whose length varies; use weeks, days, hours, minutes or seconds such as P30D, or a cron or calendar schedule`,
    );
  }
  const found = PATTERN.exec(text);
  if (!found || !/\d/.test(text) || text.endsWith('T')) {
    refuse(path, `${given} is not an ISO 8601 duration such as PT90S, PT15M, PT2H, P1D or P1DT12H`);
  }
  const [weeks, days, hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0));
  const ms =
    (weeks ?? 0) * 7 * DAY +
    (days ?? 0) * DAY +
    (hours ?? 0) * HOUR +
    (minutes ?? 0) * MINUTE +
    Math.round((seconds ?? 0) * SECOND);
  if (ms > MAX_DURATION) refuse(path, `${given} is longer than 100 years (P36525D)`);
  return ms;
}
