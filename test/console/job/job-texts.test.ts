// What can be done with a job in each status, and its definition.
import { expect, it } from 'vitest';
import {
  canBackfill,
  canPause,
  canResume,
  canRun,
  definitionOf,
} from '../../../console/screens/job/job-texts.ts';
import type { Job } from '../../../src/client/types.ts';

const job = {
  id: 'job_4fGh7Kx0QpLmN2sT9vWz',
  name: 'nightly',
  task: 'noop',
  params: { a: 1 },
  schedule: { every: 'PT1H' },
  status: 'active',
  version: 3,
  createdAt: '2026-11-16T12:00:00.000Z',
  updatedAt: '2026-11-16T12:00:00.000Z',
  nextRunAt: '2026-11-17T08:00:00.000Z',
} as unknown as Job;

it('has no computed field in the definition', () => {
  expect(definitionOf(job)).toEqual({
    name: 'nightly',
    task: 'noop',
    params: { a: 1 },
    schedule: { every: 'PT1H' },
  });
});

it('offers what the status allows', () => {
  const paused = { ...job, status: 'paused' as const };
  const cancelled = { ...job, status: 'cancelled' as const };
  expect([canPause(job), canResume(job), canRun(job), canBackfill(job)]).toEqual([true, false, true, true]);
  expect([canPause(paused), canResume(paused), canRun(paused)]).toEqual([false, true, true]);
  expect([canPause(cancelled), canResume(cancelled), canRun(cancelled), canBackfill(cancelled)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

it('does not backfill a job that runs once', () => {
  expect(canBackfill({ ...job, schedule: { at: '2026-11-17T08:00:00.000Z' } })).toBe(false);
});
