// Tables of jobs and executions in a terminal of 80 columns.
import { expect, it } from 'vitest';
import { executionTable, jobTable } from '../../src/cli/resource-tables.ts';
import type { Execution, Job } from '../../src/client/client.ts';

const style = { width: 80, absolute: false, now: () => Date.parse('2026-12-01T10:00:30Z') };
const jobId = 'job_4fGh7Kx0QpLmN2sT9vWz';

it('executions fit, with id, status and what happened', () => {
  const execution = {
    id: `${jobId}.1796119200000`,
    jobId,
    status: 'succeeded',
    dueAt: '2026-12-01T10:00:00.000Z',
    attempt: 1,
    maxAttempts: 3,
    latenessMs: 4,
    durationMs: 213,
    result: { status: 200, body: 'a long answer that nobody needs in a list' },
    timeline: { dueAt: '2026-12-01T10:00:00.000Z' },
  } as Execution;
  const lines = executionTable([execution], style);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines[1]).toContain(execution.id);
  expect(lines[1]).toContain('succeeded');
});

it('jobs fit, with id, name and next run', () => {
  const job = {
    id: jobId,
    name: 'nightly-report-of-the-billing-team',
    task: 'eventbridge',
    status: 'completed',
    schedule: { cron: '0 9 * * MON-FRI', timezone: 'Europe/Paris' },
    nextRunAt: '2026-12-02T08:00:00.000Z',
  } as unknown as Job;
  const lines = jobTable([job], style);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  expect(lines[1]).toContain(jobId);
  expect(lines[1]).toContain('nightly');
  const recent = Array.from({ length: 20 }, () => ({ id: '', status: 'succeeded' as const, dueAt: '' }));
  const strips = jobTable([{ ...job, recent }], style);
  for (const line of strips) expect(line.length).toBeLessThanOrEqual(80);
  expect(strips[1]).toContain('.'.repeat(20));
});
