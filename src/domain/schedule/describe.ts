// A schedule in one plain English sentence: "At 09:00 on Monday to Friday, Europe/Paris time".
import { type Cron, isEvery } from './cron.ts';
import { FIELDS, type Term, valuesOf } from './cron-field.ts';
import { durationMs } from './duration.ts';
import { patternOf } from './pattern.ts';
import type { Schedule } from './schema.ts';
import {
  counted,
  durationInWords,
  joined,
  monthName,
  nthName,
  two,
  valuesInWords,
  weekdayName,
} from './words.ts';

const MOST_TIMES_LISTED = 6;

export function describeSchedule(schedule: Schedule): string {
  if ('at' in schedule) {
    const since = schedule.in === undefined ? '' : ` (${schedule.in} after it was created)`;
    return `Once, at ${schedule.at}${since}${inZone(schedule.timezone)}`;
  }
  const { startAt, endAt, jitterSeconds } = schedule;
  const until = endAt === undefined ? '' : `, until ${endAt}`;
  const delay = jitterSeconds ? `, each run delayed by up to ${counted(jitterSeconds, 'second')}` : '';
  if ('every' in schedule) {
    const rate = durationInWords(durationMs(schedule.every, 'schedule.every'));
    return `Every ${rate}, counted from ${startAt}${until}${delay}`;
  }
  const cron = patternOf(schedule);
  const from = startAt === undefined ? '' : `, from ${startAt}`;
  return `${patternInWords(cron)}${inZone(schedule.timezone)}${from}${until}${delay}`;
}

const inZone = (zone: string | undefined): string =>
  zone === undefined ? '' : zone === 'UTC' ? ', UTC' : /^[+-]/.test(zone) ? `, UTC${zone}` : `, ${zone} time`;

function patternInWords(cron: Cron): string {
  const listed = listedTimes(cron);
  const time = listed ? `At ${joined(listed)}` : repeatedTimes(cron);
  const date = dateInWords(cron);
  return `${time}${date || (listed ? ' every day' : '')}`;
}

/** `09:00`, `17:30`; undefined when there are too many to list or the pattern says "every". */
function listedTimes(cron: Cron): string[] | undefined {
  const fields = [cron.hour, cron.minute, cron.second];
  if (fields.some((terms) => terms.some((term) => term.kind !== 'range' || term.step !== undefined)))
    return undefined;
  const hours = valuesOf(FIELDS.hour, cron.hour);
  const minutes = valuesOf(FIELDS.minute, cron.minute);
  const seconds = valuesOf(FIELDS.second, cron.second);
  if (hours.length * minutes.length * seconds.length > MOST_TIMES_LISTED) return undefined;
  const onTheMinute = isZero(cron.second);
  return hours.flatMap((h) =>
    minutes.flatMap((m) => seconds.map((s) => `${two(h)}:${two(m)}${onTheMinute ? '' : `:${two(s)}`}`)),
  );
}

const isZero = (terms: readonly Term[]): boolean =>
  terms.every((term) => term.kind === 'range' && term.from === 0 && term.to === 0);

function repeatedTimes(cron: Cron): string {
  const hours = hoursInWords(cron.hour);
  if (!isZero(cron.second)) {
    const seconds = rateOrValues(cron.second, 'second');
    if (isEvery(cron.minute)) return capital(`${seconds}${perUnit(seconds, 'minute')}${hours}`);
    return capital(`${seconds} of ${valuesInWords(cron.minute, 'minute')}${hours || ' of every hour'}`);
  }
  if (isZero(cron.minute)) {
    if (isEvery(cron.hour)) return 'Every hour';
    if (isEvenStep(cron.hour, 24)) return capital(rateOrValues(cron.hour, 'hour'));
    return hours.startsWith(' from') ? `Every hour${hours.replace(/59$/, '00')}` : `At minute 0${hours}`;
  }
  const minutes = rateOrValues(cron.minute, 'minute');
  return capital(`${minutes}${hours || perUnit(minutes, 'hour')}`);
}

/** "every 5 minutes" needs nothing more; "at minute 30" is so many times "of every hour". */
const perUnit = (words: string, unit: string): string =>
  /^every (\d+ )?(second|minute|hour)s?$/.test(words) ? '' : ` of every ${unit}`;

/** `every minute`, `every 5 minutes` when that is what a clock shows, else `at minutes 3 and 9`. */
function rateOrValues(terms: readonly Term[], unit: 'second' | 'minute' | 'hour'): string {
  if (isEvery(terms)) return `every ${unit}`;
  const [term] = terms;
  if (term && 'step' in term && term.step && isEvenStep(terms, unit === 'hour' ? 24 : 60)) {
    return term.step === 1 ? `every ${unit}` : `every ${counted(term.step, unit)}`;
  }
  return `at ${valuesInWords(terms, unit)}`;
}

/** Steps through the whole unit without a rest: `*` or `0/5`, where 5 divides 60. */
function isEvenStep(terms: readonly Term[], size: number): boolean {
  const [term] = terms;
  if (terms.length !== 1 || !term || !('step' in term) || !term.step || size % term.step !== 0) return false;
  return term.kind === 'every' || (term.kind === 'range' && term.from === 0 && term.to === size - 1);
}

function hoursInWords(terms: readonly Term[]): string {
  if (isEvery(terms)) return '';
  const [term] = terms;
  if (terms.length === 1 && term?.kind === 'range' && term.step === undefined) {
    if (term.to > 23) return ` from 00:00 to ${two(term.to - 24)}:59 and from ${two(term.from)}:00 to 23:59`;
    return ` from ${two(term.from)}:00 to ${two(term.to)}:59`;
  }
  return ` in ${valuesInWords(terms, 'hour')}`;
}

function dateInWords(cron: Cron): string {
  const days = isEvery(cron.day) ? '' : daysInWords(cron.day);
  const weekdays = isEvery(cron.weekday) ? '' : weekdaysInWords(cron.weekday);
  let on = days || weekdays;
  if (days && weekdays)
    on = cron.days === 'either' ? `${days} or on ${weekdays}` : `${days} if it is ${weekdays}`;
  const months = isEvery(cron.month) ? '' : ` in ${valuesInWords(cron.month, 'month', monthName)}`;
  const years = isEvery(cron.year) ? '' : ` in ${valuesInWords(cron.year, 'year').replace(/^years? /, '')}`;
  return `${on && ` on ${on}`}${months || years ? (on ? '' : ' every day') : ''}${months}${years}`;
}

function daysInWords(terms: readonly Term[]): string {
  const parts: string[] = [];
  const plain = valuesInWords(terms, 'day');
  if (plain) parts.push(`${plain} of the month`);
  for (const term of terms) {
    if (term.kind === 'lastDay') {
      const before = term.before === undefined ? '' : `${counted(term.before, 'day')} before `;
      parts.push(`${before}the last day of the month`);
    }
    if (term.kind === 'lastWeekday') parts.push('the last weekday (Monday to Friday) of the month');
    if (term.kind === 'nearestWeekday')
      parts.push(`the weekday (Monday to Friday) nearest day ${term.day} of the month`);
  }
  return joined(parts);
}

function weekdaysInWords(terms: readonly Term[]): string {
  const parts: string[] = [];
  const plain = terms.some((term) => 'step' in term && term.step)
    ? joined(valuesOf(FIELDS.weekday, terms).map(weekdayName))
    : valuesInWords(terms, 'day', weekdayName);
  if (plain) parts.push(plain);
  for (const term of terms) {
    if (term.kind === 'nth') parts.push(`the ${nthName(term.nth)} ${weekdayName(term.weekday)} of the month`);
    if (term.kind === 'last') parts.push(`the last ${weekdayName(term.weekday)} of the month`);
  }
  return joined(parts);
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
