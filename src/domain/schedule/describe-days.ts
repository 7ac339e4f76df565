// Describes the days of a pattern: " on Mondays to Fridays", " on day 1 of January in 2028", " every day".
import { type Cron, isEitherDay, isEvery } from './cron.ts';
import { FIELDS, type Term, valuesOf } from './cron-field.ts';
import {
  joined,
  listed,
  longStep,
  monthName,
  nthName,
  ordinal,
  valuesInWords,
  weekdayName,
  weekdaysInWords,
} from './describe-fields.ts';

/** Follows the time of day. `everyDay` says so if no days are named. */
export function dateInWords(cron: Cron, everyDay: boolean): string {
  const months = monthsOf(cron);
  const days = daysInWords(cron, months);
  const date = days ? ` on ${days}` : `${everyDay ? ' every day' : ''}${months.alone}`;
  return `${date}${days ? months.after : ''}${yearsInWords(cron)}`;
}

interface Months {
  /** Follows a day of the month: "day 1" + " of January". It is " of the month" if `after` names the months. */
  readonly ofMonth: string;
  /** Follows days of the week: "Fridays" + " in January". Empty if `after` names the months. */
  readonly inMonth: string;
  /** Follows the whole list of days. */
  readonly after: string;
  /** Used if no days are named. */
  readonly alone: string;
}

function monthsOf(cron: Cron): Months {
  const values = valuesOf(FIELDS.month, cron.month);
  if (values.length === 12) return { ofMonth: ' of the month', inMonth: '', after: '', alone: '' };
  const names = listed(values, monthName);
  if (names.includes(' to ')) {
    const when = /^\S+ to \S+$/.test(names) ? ` from ${names}` : ` in ${names}`;
    return { ofMonth: ' of the month', inMonth: '', after: when, alone: when };
  }
  return { ofMonth: ` of ${names}`, inMonth: ` in ${names}`, after: '', alone: ` in ${names}` };
}

/** The days in words. Empty if the schedule runs on every day. */
function daysInWords(cron: Cron, months: Months): string {
  const days = valuesOf(FIELDS.day, cron.day);
  const weekdays = valuesOf(FIELDS.weekday, cron.weekday);
  const [anyDay, anyWeekday] = [
    isEvery(cron.day) || days.length === 31,
    isEvery(cron.weekday) || weekdays.length === 7,
  ];
  const byDay = anyDay ? '' : monthDays(cron.day, days, months);
  if (isEitherDay(cron)) {
    return byDay && !anyWeekday ? `${byDay} and also on ${weekDays(cron.weekday, weekdays, months)}` : '';
  }
  if (anyWeekday) return byDay;
  if (!byDay) return weekDays(cron.weekday, weekdays, months);
  return `${byDay} if it is a ${joined(weekdays.map(weekdayName), 'or')}`;
}

function monthDays(terms: readonly Term[], days: readonly number[], { ofMonth }: Months): string {
  const parts: string[] = [];
  if (days.length > 0) parts.push(`${valuesInWords('day', days)}${ofMonth}`);
  for (const term of terms) {
    if (term.kind === 'lastDay') parts.push(`the ${daysBefore(term.before)}last day${ofMonth}`);
    if (term.kind === 'lastWeekday') parts.push(`the last weekday (Monday to Friday)${ofMonth}`);
    if (term.kind === 'nearestWeekday')
      parts.push(`the weekday (Monday to Friday) nearest to day ${term.day}${ofMonth}`);
  }
  return joined(parts);
}

function daysBefore(before = 0): string {
  if (before === 0) return '';
  return before === 1 ? 'day before the ' : `${ordinal(before)} day before the `;
}

function weekDays(terms: readonly Term[], weekdays: readonly number[], months: Months): string {
  const parts: string[] = [];
  if (weekdays.length > 0) parts.push(`${weekdaysInWords(weekdays)}${months.inMonth}`);
  for (const term of terms) {
    const name = 'weekday' in term ? weekdayName(term.weekday) : '';
    if (term.kind === 'nth') parts.push(`the ${nthName(term.nth)} ${name}${months.ofMonth}`);
    if (term.kind === 'last') parts.push(`the last ${name}${months.ofMonth}`);
  }
  return joined(parts);
}

function yearsInWords(cron: Cron): string {
  if (isEvery(cron.year)) return '';
  const years = valuesOf(FIELDS.year, cron.year);
  const step = longStep(years);
  if (step) return ` in every ${ordinal(step)} year from ${years[0]} to ${years.at(-1)}`;
  const text = listed(years);
  return /^\d+ to \d+$/.test(text) ? ` from ${text}` : ` in ${text}`;
}
