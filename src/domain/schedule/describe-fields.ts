// English for the fields of a cron pattern: lists, ranges, steps, ordinals and names.
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
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const NTH = ['first', 'second', 'third', 'fourth', 'fifth'];

export const monthName = (month: number): string => MONTHS[month - 1] ?? String(month);
export const weekdayName = (weekday: number): string => WEEKDAYS[weekday % 7] ?? String(weekday);
/** The number of a weekday, from 0 for Sunday. Accepts MON, Monday, and numbers up to 7. -1 if the name is unknown. */
export function weekdayNumber(given: string | number): number {
  if (typeof given === 'number') return given % 7;
  const name = given.toLowerCase();
  return WEEKDAYS.map((weekday) => weekday.toLowerCase()).findIndex(
    (weekday) => name === weekday || name === weekday.slice(0, 3),
  );
}
export const nthName = (nth: number): string => NTH[nth - 1] ?? String(nth);

export const twoDigits = (n: number): string => String(n).padStart(2, '0');

/** 1st, 2nd, 3rd, 11th. */
export function ordinal(n: number): string {
  const teen = n % 100 > 10 && n % 100 < 14;
  return `${n}${(!teen && ['', 'st', 'nd', 'rd'][n % 10]) || 'th'}`;
}

/** `a`, `a and b`, `a, b and c`. */
export const joined = (parts: readonly string[], word = 'and'): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`;

export const counted = (n: number, unit: string): string => `${n} ${unit}${n === 1 ? '' : 's'}`;

/** Maximum number of values that are listed one by one. Longer lists are described by their step or their ranges. */
export const MAX_LISTED = 6;

/** Ascending values as ranges of consecutive ones. */
export function runsOf(values: readonly number[]): [from: number, to: number][] {
  const runs: [number, number][] = [];
  for (const value of values) {
    const last = runs.at(-1);
    if (last && value === last[1] + 1) last[1] = value;
    else runs.push([value, value]);
  }
  return runs;
}

/** `5`, `5, 10 and 20 to 30`, `March to May and July`. */
export const listed = (values: readonly number[], name: (value: number) => string = String): string =>
  runsInWords(runsOf(values), name);

const runsInWords = (runs: readonly (readonly [number, number])[], name: (value: number) => string): string =>
  joined(
    runs.flatMap(([from, to]) => {
      if (to - from > 1) return [`${name(from)} to ${name(to)}`];
      return from === to ? [name(from)] : [name(from), name(to)];
    }),
  );

/** The step of a long list such as 1, 3, 5 … 31. Undefined for short lists, ranges and lists without a constant step. */
export function longStep(values: readonly number[]): number | undefined {
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  const isLong = values.length > MAX_LISTED && step > 1;
  return isLong && values.every((value, i) => value === (values[0] ?? 0) + i * step) ? step : undefined;
}

/** `minute 5`, `minutes 5, 10 and 20 to 30`, `every 7th minute from 0 to 56`. */
export function valuesInWords(unit: string, values: readonly number[]): string {
  const step = longStep(values);
  if (step) return `every ${ordinal(step)} ${unit} from ${values[0]} to ${values.at(-1)}`;
  return `${unit}${values.length > 1 ? 's' : ''} ${listed(values)}`;
}

/** `Mondays`, `Fridays to Mondays`, `Tuesdays, Saturdays and Sundays`: the week begins on Monday and wraps around. */
export function weekdaysInWords(weekdays: readonly number[]): string {
  const fromMonday = weekdays.map((weekday) => (weekday + 6) % 7).sort((a, b) => a - b);
  const runs = runsOf(fromMonday);
  const [first, last] = [runs[0], runs.at(-1)];
  if (first && last && runs.length > 1 && first[0] === 0 && last[1] === 6) {
    last[1] = first[1] + 7;
    runs.shift();
  }
  return runsInWords(runs, (day) => `${weekdayName(day + 1)}s`);
}

/** `90 seconds`, `36 hours`, `7 days of 24 hours`. A single unit has no number: `hour`. */
export function durationInWords(ms: number): string {
  const DAY = 86_400_000;
  if (ms % DAY === 0 && ms > 3 * DAY) return `${ms / DAY} days of 24 hours`;
  const units: [string, number][] = [
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
