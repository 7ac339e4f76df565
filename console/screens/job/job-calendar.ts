// The calendar of a job: the days of past executions, and the days of its plan.
import type { Execution } from '../../../src/client/types.ts';
import { DAY } from '../../../src/domain/schedule/duration.ts';
import { offsetPeriodAt } from '../../../src/domain/schedule/zones.ts';
import type { CalendarDay, CalendarInput, DayNumber } from '../../marks/calendar-geometry.ts';

/** The days before today that are shown at most. With the plan the calendar has a year. */
const PAST_DAYS = 84;
const ALL_DAYS = 365;

type Past = Pick<Execution, 'dueAt' | 'status'>;

/** `planned`: whether the job still runs by its schedule. */
export function jobCalendar(
  plan: CalendarInput,
  executions: readonly Past[],
  zone: string,
  planned: boolean,
): CalendarInput {
  const from = plan.today - PAST_DAYS;
  const to = from + ALL_DAYS;
  const days = new Map<DayNumber, CalendarDay>(
    planned ? [...plan.days].filter(([day]) => day < to) : undefined,
  );
  for (const { dueAt, status } of executions) {
    const at = Date.parse(dueAt);
    const day = Math.floor((at + offsetPeriodAt(zone, at).offset) / DAY);
    const entry = days.get(day) ?? {};
    if (status === 'succeeded') days.set(day, { ...entry, done: (entry.done ?? 0) + 1 });
    if (status === 'failed') days.set(day, { ...entry, failed: (entry.failed ?? 0) + 1 });
  }
  return { ...plan, from, to, days };
}
