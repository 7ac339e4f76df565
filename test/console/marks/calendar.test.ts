// The geometry of the calendar.
import { describe, expect, it } from 'vitest';
import {
  calendarPicture,
  calendarSentence,
  cellText,
  dateText,
} from '../../../console/marks/calendar-geometry.ts';

const dayOf = (date: string): number => Date.parse(date) / 86_400_000;
const TODAY = dayOf('2026-11-18');
const year = (days: [string, object][], clockChanges: [string, string][] = []) =>
  calendarPicture({
    from: TODAY,
    to: TODAY + 366,
    today: TODAY,
    days: new Map(days.map(([date, day]) => [dayOf(date), day])),
    clockChanges: new Map(clockChanges.map(([date, text]) => [dayOf(date), text])),
  });

describe('the calendar', () => {
  it('has a column per week, and Monday in the first row', () => {
    const { cells, columns } = year([]);
    expect(cells).toHaveLength(366);
    // 2026-11-18 is a Wednesday.
    expect(cells[0]).toMatchObject({ column: 0, row: 2 });
    expect(cells.find(({ day }) => dateText(day) === '2026-11-23')).toMatchObject({ column: 1, row: 0 });
    expect(columns).toBe(53);
  });

  it('names each month at its first day, and the year at January', () => {
    const { months } = year([]);
    expect(months).toHaveLength(12);
    expect(months[0]?.text).toBe('Dec');
    expect(months[1]?.text).toBe('Jan 2027');
  });

  it('has darker cells for more runs, and one run stays visible beside a thousand', () => {
    const { cells } = year([
      ['2026-12-01', { planned: 1 }],
      ['2026-12-02', { planned: 300 }],
      ['2026-12-03', { planned: 1000 }],
    ]);
    const levels = [13, 14, 15, 16].map((i) => cells[i]?.level);
    expect(levels).toEqual([1, 3, 5, 0]);
  });

  it('marks the days on which clocks change, with or without runs', () => {
    const { cells } = year([['2027-03-28', { planned: 1 }]], [['2027-03-28', 'clocks go forward']]);
    const cell = cells.find(({ clockChange }) => clockChange !== undefined);
    expect(cell && cellText(cell)).toBe('2027-03-28: 1 run planned, clocks go forward');
    expect(calendarSentence(cells)).toBe(
      'Calendar from 2026-11-18 to 2027-11-18: 1 run on 1 of 366 days, clocks change on 2027-03-28',
    );
  });

  it('tells past days from planned ones and counts failures', () => {
    const { cells } = calendarPicture({
      from: TODAY - 1,
      to: TODAY + 1,
      today: TODAY,
      days: new Map([[TODAY - 1, { done: 2, failed: 1 }]]),
      clockChanges: new Map(),
    });
    expect(cells.map(cellText)).toEqual(['2026-11-17: 3 runs, 1 failed', '2026-11-18: 0 runs planned']);
  });

  it('is empty for an empty range', () => {
    expect(
      calendarPicture({ from: 5, to: 5, today: 5, days: new Map(), clockChanges: new Map() }),
    ).toMatchObject({ cells: [], columns: 0 });
  });
});
