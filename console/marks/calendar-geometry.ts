// The geometry of the calendar: a column per week from Monday to Sunday, and a cell per day.
import { DAY } from '../../src/domain/schedule/duration.ts';
import { levelOf } from './scales.ts';

/** A local date as the number of days since 1970-01-01. */
export type DayNumber = number;

export interface CalendarDay {
  readonly planned?: number;
  readonly done?: number;
  readonly failed?: number;
}

export interface CalendarCell {
  readonly day: DayNumber;
  readonly column: number;
  /** 0 is Monday. */
  readonly row: number;
  readonly count: number;
  /** 0 to 5. */
  readonly level: number;
  readonly failed: number;
  readonly isPast: boolean;
  /** The clock change of this day, as text. Undefined if there is none. */
  readonly clockChange: string | undefined;
}

export interface CalendarInput {
  readonly from: DayNumber;
  /** Exclusive. */
  readonly to: DayNumber;
  readonly today: DayNumber;
  readonly days: ReadonlyMap<DayNumber, CalendarDay>;
  readonly clockChanges: ReadonlyMap<DayNumber, string>;
}

export interface CalendarPicture {
  readonly columns: number;
  readonly cells: readonly CalendarCell[];
  /** The names of months, at the column of their first day. */
  readonly months: readonly { readonly column: number; readonly text: string }[];
}

/** 1970-01-01 was a Thursday. */
const weekdayOf = (day: DayNumber): number => (((day + 3) % 7) + 7) % 7;

export function calendarPicture({ from, to, today, days, clockChanges }: CalendarInput): CalendarPicture {
  const max = Math.max(0, ...[...days.values()].map(countOf));
  const offset = weekdayOf(from);
  const cells = Array.from({ length: Math.max(0, to - from) }, (_, index): CalendarCell => {
    const day = from + index;
    const entry = days.get(day) ?? {};
    return {
      day,
      column: Math.floor((index + offset) / 7),
      row: weekdayOf(day),
      count: countOf(entry),
      level: levelOf(countOf(entry), max),
      failed: entry.failed ?? 0,
      isPast: day < today,
      clockChange: clockChanges.get(day),
    };
  });
  return { columns: (cells.at(-1)?.column ?? -1) + 1, cells, months: monthsOf(cells) };
}

const countOf = ({ planned = 0, done = 0, failed = 0 }: CalendarDay): number => planned + done + failed;

function monthsOf(cells: readonly CalendarCell[]): CalendarPicture['months'] {
  const months: { column: number; text: string }[] = [];
  for (const { day, column } of cells) {
    const date = new Date(day * DAY);
    if (date.getUTCDate() !== 1) continue;
    const year = date.getUTCMonth() === 0 ? ` ${date.getUTCFullYear()}` : '';
    const month = date.toLocaleDateString('en-US', { month: 'short', timeZone: 'UTC' });
    months.push({ column, text: `${month}${year}` });
  }
  return months;
}

/** `2026-12-25`. */
export const dateText = (day: DayNumber): string => new Date(day * DAY).toISOString().slice(0, 10);

export function cellText({ day, count, failed, isPast, clockChange }: CalendarCell): string {
  const runs = count === 1 ? '1 run' : `${count} runs`;
  const what = isPast ? runs : `${runs} planned`;
  return [
    `${dateText(day)}: ${what}`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(clockChange ? [clockChange] : []),
  ].join(', ');
}

export function calendarSentence(cells: readonly CalendarCell[]): string {
  const busy = cells.filter(({ count }) => count > 0);
  const total = busy.reduce((sum, { count }) => sum + count, 0);
  const failed = cells.reduce((sum, cell) => sum + cell.failed, 0);
  const changes = cells.filter(({ clockChange }) => clockChange !== undefined);
  const range = `${cells[0] ? dateText(cells[0].day) : ''} to ${dateText(cells.at(-1)?.day ?? 0)}`;
  return [
    `Calendar from ${range}: ${total} ${total === 1 ? 'run' : 'runs'} on ${busy.length} of ${cells.length} days`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(changes.length > 0
      ? [`clocks change on ${changes.map(({ day }) => dateText(day)).join(' and ')}`]
      : []),
  ].join(', ');
}
