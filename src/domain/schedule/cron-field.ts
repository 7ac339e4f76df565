// Parses one field of a cron pattern into terms. Errors name the field and its range.
import { quote, refuse } from './refuse.ts';

export type FieldName = 'second' | 'minute' | 'hour' | 'day of month' | 'month' | 'day of week' | 'year';

export type Term =
  /** `*`, `?` and `*`/1 (without step: every value), or `*`/step. */
  | { readonly kind: 'every'; readonly step?: number }
  /** From 5 to 5 is the single value 5. */
  | { readonly kind: 'range'; readonly from: number; readonly to: number; readonly step?: number }
  /** Day of month `L`, and `L-3`: three days before the last one. */
  | { readonly kind: 'lastDay'; readonly before?: number }
  /** Day of month `LW`, `15W`. */
  | { readonly kind: 'lastWeekday' }
  | { readonly kind: 'nearestWeekday'; readonly day: number }
  /** Day of week `FRI#2` and `FRIL`. */
  | { readonly kind: 'nth'; readonly weekday: number; readonly nth: number }
  | { readonly kind: 'last'; readonly weekday: number };

export interface Field {
  readonly name: FieldName;
  readonly from: number;
  readonly to: number;
  /** The names of the values from `from` on. */
  readonly names?: readonly string[];
  /** The number of values after which a range wraps around: FRI-MON, and 20-2 in AWS's hours. Absent if ranges may not. */
  readonly cycle?: number;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

export const FIELDS = {
  second: { name: 'second', from: 0, to: 59 },
  minute: { name: 'minute', from: 0, to: 59 },
  hour: { name: 'hour', from: 0, to: 23 },
  awsHour: { name: 'hour', from: 0, to: 23, cycle: 24 },
  day: { name: 'day of month', from: 1, to: 31 },
  month: { name: 'month', from: 1, to: 12, names: MONTHS },
  /** 0 and 7 are Sunday. */
  weekday: { name: 'day of week', from: 0, to: 7, names: WEEKDAYS, cycle: 7 },
  /** AWS counts Sunday as 1. In terms it is 0, as in other patterns. */
  awsWeekday: { name: 'day of week', from: 1, to: 7, names: WEEKDAYS, cycle: 7 },
  year: { name: 'year', from: 1970, to: 2199 },
} as const satisfies Record<string, Field>;

/** `text` is in upper case. */
export function parseField(field: Field, text: string): Term[] {
  return text.split(',').map((part) => parseTerm(field, part));
}

function parseTerm(field: Field, part: string): Term {
  if (part === '*') return { kind: 'every' };
  if (part === '?') {
    if (!field.name.startsWith('day'))
      refuseField(field, part, '? is allowed in the two day fields only, use *');
    return { kind: 'every' };
  }
  const special = field.name === 'day of month' ? dayTerm(field, part) : weekdayTerm(field, part);
  return special ?? rangeTerm(field, part);
}

function dayTerm(field: Field, part: string): Term | undefined {
  if (part === 'L') return { kind: 'lastDay' };
  const [, before] = /^L-(.*)$/.exec(part) ?? [];
  if (before !== undefined) {
    if (!/^([1-9]|[12]\d|30)$/.test(before)) {
      refuseField(
        field,
        part,
        'the number after L- is from 1 to 30 (L-3 is three days before the last day of the month)',
      );
    }
    return { kind: 'lastDay', before: Number(before) };
  }
  if (part === 'LW' || part === 'WL') return { kind: 'lastWeekday' };
  const nearest = /^(\d+)W$/.exec(part)?.[1];
  return nearest ? { kind: 'nearestWeekday', day: parseValue(field, nearest, part) } : undefined;
}

function weekdayTerm(field: Field, part: string): Term | undefined {
  if (field.name !== 'day of week') return undefined;
  // In AWS's patterns L is the last day of the week, Saturday.
  if (part === 'L' && field === FIELDS.awsWeekday) return { kind: 'range', from: 6, to: 6 };
  const last = /^([^#]+?)#?L$/.exec(part)?.[1];
  if (last) return { kind: 'last', weekday: weekdayOf(field, last, part) };
  const [, weekday, nth] = /^([^#]+)#(.*)$/.exec(part) ?? [];
  if (!weekday) return undefined;
  if (!/^[1-5]$/.test(nth ?? ''))
    refuseField(field, part, 'the number after # is from 1 to 5 (FRI#2 is the second Friday), or L');
  return { kind: 'nth', weekday: weekdayOf(field, weekday, part), nth: Number(nth) };
}

function rangeTerm(field: Field, part: string): Term {
  const [, base, stepText] = /^([^/]*)(?:\/(.*))?$/.exec(part) ?? [];
  if (base === undefined || base === '') refuseField(field, part, 'a value is missing');
  const step = stepText === undefined ? undefined : stepOf(field, stepText, part);
  if (base === '*') return step === 1 ? { kind: 'every' } : { kind: 'every', step };
  const [low, high, more] = base.split('-');
  if (more !== undefined || high === '' || !low) refuseField(field, part, 'a range has the form from-to');
  const isWeekday = field.name === 'day of week';
  const from = isWeekday ? weekdayOf(field, low, part, high === undefined) : parseValue(field, low, part);
  if (high === undefined) {
    if (step === undefined) return { kind: 'range', from, to: from };
    return { kind: 'range', from, to: isWeekday ? 6 : field.to, step };
  }
  let to = isWeekday ? weekdayOf(field, high, part, false) : parseValue(field, high, part);
  if (to < from) to += field.cycle ?? 0;
  if (to < from)
    refuseField(
      field,
      part,
      `the range ends before it starts, write ${low}-${field.to},${field.from}-${high}`,
    );
  return step === undefined ? { kind: 'range', from, to } : { kind: 'range', from, to, step };
}

function stepOf(field: Field, text: string, part: string): number {
  const max = field.to - field.from + (field === FIELDS.weekday ? 0 : 1);
  const step = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (step < 1 || step > max) refuseField(field, part, `the step after / is a number from 1 to ${max}`);
  return step;
}

/** 0 is Sunday. 7 becomes 0, except in a range: 5-7 is Friday to Sunday. */
function weekdayOf(field: Field, text: string, part: string, fold = true): number {
  const value = parseValue(field, text, part);
  if (field === FIELDS.awsWeekday) return value - 1;
  return fold ? value % 7 : value;
}

function parseValue(field: Field, text: string, part: string): number {
  const name = field.names?.indexOf(text) ?? -1;
  if (name >= 0) return field.from + name;
  const value = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= field.from && value <= field.to)) refuseField(field, part);
  return value;
}

const EXTRAS: Partial<Record<FieldName, string>> = {
  'day of month': ', L, L-3, LW, 15W',
  'day of week': ', FRI#2, FRIL',
};

function refuseField(field: Field, part: string, why?: string): never {
  const names = field.names ? ` or ${field.names[0]}-${field.names.at(-1)}` : '';
  const allowed = `${field.from}-${field.to}${names}${EXTRAS[field.name] ?? ''}, with * , - /`;
  refuse(
    'schedule.cron',
    `the ${field.name} ${quote(part)} is not valid${why ? `: ${why}` : ''}; allowed are ${allowed}`,
  );
}

/** The values of `every` and `range` terms, ascending and within the field's range. Weekdays are 0 to 6. */
export function valuesOf(field: Field, terms: readonly Term[]): number[] {
  const isWeekday = field.name === 'day of week';
  const first = isWeekday ? 0 : field.from;
  const end = isWeekday ? 6 : field.to;
  const size = end - first + 1;
  const values = new Set<number>();
  for (const term of terms) {
    if (term.kind !== 'every' && term.kind !== 'range') continue;
    const [from, to] = term.kind === 'every' ? [first, end] : [term.from, term.to];
    for (let value = from; value <= to; value += term.step ?? 1) values.add(first + ((value - first) % size));
  }
  return [...values].sort((a, b) => a - b);
}
