// The number of executions that a backfill adds.
import { expect, it } from 'vitest';
import { duesOf, MAX_BACKFILLED, missingCount } from '../../../console/screens/job/backfill-count.ts';
import { MAX_BACKFILLED as OF_SERVER } from '../../../src/domain/jobs/background-operation.ts';

const hourly = { every: 'PT1H', startAt: '2026-01-01T00:00:00.000Z' };
const range = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 2) };

it('counts the first due time and not the end', () => {
  const dues = duesOf(hourly, range);
  expect(dues).toHaveLength(24);
  expect(dues[0]).toBe(range.from);
});

it('leaves out occurrences with an execution, and does not take a manual run for one', () => {
  const executions = [
    { dueAt: '2026-01-01T05:00:00.000Z', trigger: 'schedule' },
    { dueAt: '2026-01-01T06:00:00.000Z', trigger: 'manual' },
  ];
  expect(missingCount(duesOf(hourly, range), executions)).toBe(23);
});

it('stops one above the maximum of the server', () => {
  expect(MAX_BACKFILLED).toBe(OF_SERVER);
  expect(duesOf(hourly, { ...range, to: Date.UTC(2027, 0, 1) })).toHaveLength(OF_SERVER + 1);
});
