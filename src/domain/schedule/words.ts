// English for the fields of a cron pattern: lists, ranges, steps, ordinals and names.
import type { Term } from './cron-field.ts';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const NTH = ['first', 'second', 'third', 'fourth', 'fifth'];

export const monthName = (month: number): string => MONTHS[month - 1] ?? String(month);
export const weekdayName = (weekday: number): string => WEEKDAYS[weekday % 7] ?? String(weekday);
export const nthName = (nth: number): string => NTH[nth - 1] ?? String(nth);

export const two = (n: number): string => String(n).padStart(2, '0');

/** 1st, 2nd, 3rd, 11th. */
export function ordinal(n: number): string {
  const teen = n % 100 > 10 && n % 100 < 14;
  return `${n}${(!teen && ['', 'st', 'nd', 'rd'][n % 10]) || 'th'}`;
}

/** `a`, `a and b`, `a, b and c`. */
export const joined = (parts: readonly string[], word = 'and'): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`;

export const counted = (n: number, unit: string): string => `${n} ${unit}${n === 1 ? '' : 's'}`;

/** `minutes 5, 10 and 20 to 30`, `every 7th minute`, `every 5th minute from 10 to 20`. */
export function valuesInWords(
  terms: readonly Term[],
  unit: string,
  name: (value: number) => string = String,
): string {
  const plain: string[] = [];
  const stepped: string[] = [];
  let several = false;
  for (const term of terms) {
    if (term.kind === 'every') {
      stepped.push(term.step === undefined ? `every ${unit}` : `every ${ordinal(term.step)} ${unit}`);
    } else if (term.kind === 'range' && term.step !== undefined) {
      stepped.push(`every ${ordinal(term.step)} ${unit} from ${name(term.from)} to ${name(term.to)}`);
    } else if (term.kind === 'range') {
      several ||= term.from !== term.to || plain.length > 0;
      plain.push(term.from === term.to ? name(term.from) : `${name(term.from)} to ${name(term.to)}`);
    }
  }
  // Names speak for themselves: "Monday", but "minute 5"
  const unitWord = name === String ? `${unit}${several ? 's' : ''} ` : '';
  return joined([...(plain.length > 0 ? [`${unitWord}${joined(plain)}`] : []), ...stepped]);
}

/** `90 seconds`, `1 day and 12 hours`; a single unit is only named: `hour`. */
export function durationInWords(ms: number): string {
  const units: [string, number][] = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ];
  const parts: [number, string][] = [];
  let rest = ms;
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push([count, unit]);
    rest -= count * size;
  }
  if (rest > 0) parts.push([rest / 1000, 'second']);
  const [first] = parts;
  if (parts.length === 1 && first?.[0] === 1) return first[1];
  return joined(parts.map(([count, unit]) => counted(count, unit)));
}
