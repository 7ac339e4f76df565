// Parses cron patterns: 5 fields, 6 (seconds first) or 7 (year last), nicknames such as @daily, and AWS's cron(…).
import { FIELDS, parseField, type Term } from './cron-field.ts';
import { quote, refuse } from './refuse.ts';

export const MAX_PATTERN = 256;

export interface Cron {
  readonly second: readonly Term[];
  readonly minute: readonly Term[];
  readonly hour: readonly Term[];
  readonly day: readonly Term[];
  readonly month: readonly Term[];
  readonly weekday: readonly Term[];
  readonly year: readonly Term[];
  /** The rule if both day fields are restricted. Cron runs on days that match either, a calendar on days that match both. */
  readonly days: 'either' | 'both';
  /** The default rule at clock changes. `dst` of the schedule overrides it. */
  readonly clockChanges: 'debian' | 'eventBridge';
}

/** True if both day fields are restricted and a day that matches one of them is enough. */
export const isEitherDay = ({ day, weekday, days }: Cron): boolean =>
  days === 'either' && !isEvery(day) && !isEvery(weekday);

const NICKNAMES: Readonly<Record<string, string>> = {
  '@YEARLY': '0 0 1 1 *',
  '@ANNUALLY': '0 0 1 1 *',
  '@MONTHLY': '0 0 1 * *',
  '@WEEKLY': '0 0 * * 0',
  '@DAILY': '0 0 * * *',
  '@MIDNIGHT': '0 0 * * *',
  '@HOURLY': '0 * * * *',
};

/** `seconds` are those of a pattern without a field for them: the first of a minute, or all. */
export function parseCron(given: string, seconds: 'first' | 'all' = 'first'): Cron {
  if (given.length > MAX_PATTERN) {
    refuse('schedule.cron', `the pattern has ${given.length} characters; at most ${MAX_PATTERN} are allowed`);
  }
  const text = given.trim().toUpperCase();
  const defaultSecond = seconds === 'first' ? '0' : '*';
  const aws = /^CRON\s*\((.*)\)$/.exec(text);
  if (aws) return parseAwsCron(aws[1] ?? '', given, defaultSecond);
  const pattern = text.startsWith('@') ? NICKNAMES[text] : text;
  if (pattern === undefined) {
    refuse(
      'schedule.cron',
      `${quote(given)} is not one of ${Object.keys(NICKNAMES).join(', ').toLowerCase()}`,
    );
  }
  const parts = fieldsOf(pattern);
  if (parts.length < 5 || parts.length > 7) {
    refuse(
      'schedule.cron',
      `${quote(given)} has ${parts.length} field${parts.length === 1 ? '' : 's'}; allowed are 5 (minute hour day month weekday), 6 (with seconds first) or 7 (with the year last)`,
    );
  }
  if (parts.length === 5) parts.unshift(defaultSecond);
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = '', year = '*'] = parts;
  return {
    second: parseField(FIELDS.second, second),
    minute: parseField(FIELDS.minute, minute),
    hour: parseField(FIELDS.hour, hour),
    day: parseField(FIELDS.day, day),
    month: parseField(FIELDS.month, month),
    weekday: parseField(FIELDS.weekday, weekday),
    year: parseField(FIELDS.year, year),
    days: 'either',
    clockChanges: 'debian',
  };
}

/** `cron(minute hour day month weekday year)`. Sunday is 1, and exactly one of the day fields is `?`. */
function parseAwsCron(inside: string, given: string, second: string): Cron {
  const parts = fieldsOf(inside);
  const [minute = '', hour = '', day = '', month = '', weekday = '', year = ''] = parts;
  if (parts.length !== 6) {
    refuse(
      'schedule.cron',
      `${quote(given)} has ${parts.length} fields; AWS's cron(…) has 6: minute hour day month weekday year`,
    );
  }
  if ((day === '?') === (weekday === '?')) {
    refuse(
      'schedule.cron',
      `${quote(given)}: in AWS's cron(…) exactly one of day of month and day of week must be ?; got ${quote(day)} and ${quote(weekday)}`,
    );
  }
  if (weekday.includes('#') && weekday.includes(',')) {
    refuse(
      'schedule.cron',
      `${quote(given)}: in AWS's cron(…) a day of week with # must be the only one; got ${quote(weekday)}`,
    );
  }
  return {
    second: parseField(FIELDS.second, second),
    minute: parseField(FIELDS.minute, minute),
    hour: parseField(FIELDS.awsHour, hour),
    day: parseField(FIELDS.day, day),
    month: parseField(FIELDS.month, month),
    weekday: parseField(FIELDS.awsWeekday, weekday),
    year: parseField(FIELDS.year, year),
    days: 'either',
    clockChanges: 'eventBridge',
  };
}

/**
 * The weekday numbers in a pattern that looks like one of Quartz: 6 or 7 fields with `?`. Quartz counts Sunday as 1, so each
 * number means the day before in Quartz. Empty for other patterns.
 */
export function quartzWeekdays(given: string): number[] {
  const parts = given.includes('(') ? [] : fieldsOf(given);
  const [, , , day, , weekday = ''] = parts;
  if (parts.length < 6 || (day !== '?' && weekday !== '?')) return [];
  const values = weekday.split(',').flatMap((part) => part.replace(/[/#].*$|L$/i, '').split('-'));
  return [...new Set(values.filter((value) => /^[0-7]$/.test(value)).map(Number))];
}

const fieldsOf = (text: string): string[] => text.split(/\s+/).filter((part) => part !== '');

/** True if the field is `*`, `?` or `*`/1, which restrict nothing. */
export const isEvery = (terms: readonly Term[]): boolean =>
  terms.some((term) => term.kind === 'every' && term.step === undefined);
