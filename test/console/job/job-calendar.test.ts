// The calendar of a job: past executions beside the plan.
import { expect, it } from 'vitest';
import { jobCalendar } from '../../../console/screens/job/job-calendar.ts';

const TODAY = Date.UTC(2026, 10, 18) / 86_400_000;
const plan = {
  from: TODAY,
  to: TODAY + 366,
  today: TODAY,
  days: new Map([
    [TODAY, { planned: 2 }],
    [TODAY + 360, { planned: 1 }],
  ]),
  clockChanges: new Map<number, string>(),
};
const at = (dueAt: string, status: 'succeeded' | 'failed' | 'skipped') => ({ dueAt, status });

it('counts executions by the local day, and leaves out those that did not run', () => {
  const { days, from, to } = jobCalendar(
    plan,
    [
      at('2026-11-16T23:30:00Z', 'succeeded'),
      at('2026-11-17T08:00:00Z', 'failed'),
      at('2026-11-17T09:00:00Z', 'skipped'),
    ],
    'Europe/Paris',
    true,
  );
  expect(days.get(TODAY - 1)).toEqual({ done: 1, failed: 1 });
  expect(days.get(TODAY - 2)).toBeUndefined();
  expect(days.get(TODAY)).toEqual({ planned: 2 });
  expect(to - from).toBe(365);
  expect(days.has(TODAY + 360)).toBe(false);
});

it('adds past runs of today to the plan of today', () => {
  const { days } = jobCalendar(plan, [at('2026-11-18T01:00:00Z', 'succeeded')], 'UTC', true);
  expect(days.get(TODAY)).toEqual({ planned: 2, done: 1 });
});

it('has no plan for a job that has ended', () => {
  expect(jobCalendar(plan, [], 'UTC', false).days.size).toBe(0);
});
