// Describes the time of day of a pattern: "At 09:00 and 17:00", "Every 15 minutes from 09:00 to 17:59".
import type { Cron } from './cron.ts';
import { FIELDS, valuesOf } from './cron-field.ts';
import {
  counted,
  joined,
  listed,
  longStep,
  MAX_LISTED,
  ordinal,
  runsOf,
  twoDigits,
  valuesInWords,
} from './describe-fields.ts';

/** `listed` is true if the text names single times, so that it does not yet imply "every day". */
export function timeInWords(cron: Cron): { text: string; listed: boolean } {
  const hours = valuesOf(FIELDS.hour, cron.hour);
  const minutes = valuesOf(FIELDS.minute, cron.minute);
  const seconds = valuesOf(FIELDS.second, cron.second);
  const onTheMinute = isZero(seconds);
  if (hours.length * minutes.length * seconds.length <= MAX_LISTED) {
    const times = hours.flatMap((h) =>
      minutes.flatMap((m) =>
        seconds.map((s) => `${twoDigits(h)}:${twoDigits(m)}${onTheMinute ? '' : `:${twoDigits(s)}`}`),
      ),
    );
    return { text: `At ${joined(times)}`, listed: true };
  }
  const text = onTheMinute ? byMinutes(minutes, hours) : bySeconds(seconds, minutes, hours);
  return { text: text.charAt(0).toUpperCase() + text.slice(1), listed: false };
}

const isZero = (values: readonly number[]): boolean => values.length === 1 && values[0] === 0;

function byMinutes(minutes: readonly number[], hours: readonly number[]): string {
  if (isZero(minutes)) return byHours(hours);
  const rate = rateOf(minutes, 'minute', 60);
  return rate ? `${rate}${duringHours(hours)}` : `at ${valuesInWords('minute', minutes)}${ofHours(hours)}`;
}

function byHours(hours: readonly number[]): string {
  const rate = rateOf(hours, 'hour', 24);
  if (rate) return rate;
  const step = longStep(hours);
  if (step)
    return `every ${step} hours from ${twoDigits(hours[0] ?? 0)}:00 to ${twoDigits(hours.at(-1) ?? 0)}:00`;
  const runs = runsOf(hours);
  if (runs.every(([from, to]) => to > from))
    return `every hour ${joined(runs.map(([from, to]) => `from ${twoDigits(from)}:00 to ${twoDigits(to)}:00`))}`;
  return `at minute 0${ofHours(hours)}`;
}

function bySeconds(seconds: readonly number[], minutes: readonly number[], hours: readonly number[]): string {
  const rate = rateOf(seconds, 'second', 60);
  const text = rate ?? `at ${valuesInWords('second', seconds)}`;
  if (minutes.length === 60) return `${text}${rate ? '' : ' of every minute'}${duringHours(hours)}`;
  return `${text} of ${valuesInWords('minute', minutes)}${ofHours(hours)}`;
}

/** `every minute`, `every 15 minutes`. Undefined if the step does not divide the hour or the day evenly. */
function rateOf(values: readonly number[], unit: string, size: number): string | undefined {
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  const isEven = values.length > 1 && size / values.length === step && values.every((v, i) => v === i * step);
  if (!isEven) return undefined;
  return step === 1 ? `every ${unit}` : `every ${counted(step, unit)}`;
}

const span = ([from, to]: readonly [number, number]): string =>
  `from ${twoDigits(from)}:00 to ${twoDigits(to)}:59`;

/** Follows a rate: "every 15 minutes" + " from 09:00 to 17:59". */
export function duringHours(hours: readonly number[]): string {
  if (hours.length === 24) return '';
  const runs = runsOf(hours);
  if (runs.length <= 2) return ` ${joined(runs.map(span))}`;
  return everyNthHour(' in', hours) ?? ` in hours ${listed(hours)}`;
}

/** Follows single values: "at minute 30" + " of every hour". */
function ofHours(hours: readonly number[]): string {
  if (hours.length === 24) return ' of every hour';
  const [run, ...more] = runsOf(hours);
  if (run && more.length === 0 && hours.length > 1) return ` of every hour ${span(run)}`;
  return everyNthHour(' of', hours) ?? ` of ${valuesInWords('hour', hours)}`;
}

function everyNthHour(word: string, hours: readonly number[]): string | undefined {
  const step = longStep(hours);
  if (step === undefined) return undefined;
  return `${word} every ${ordinal(step)} hour ${span([hours[0] ?? 0, hours.at(-1) ?? 0])}`;
}
