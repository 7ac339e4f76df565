// What the overview derives from jobs and dead letters.
import { describe, expect, it } from 'vitest';
import { relativeText } from '../../../console/parts/relative-time-text.ts';
import {
  countText,
  failuresOfDay,
  type Groups,
  nextJobs,
  nextRunNote,
  silentJobs,
} from '../../../console/screens/overview/overview-texts.ts';
import type { JobSummary } from '../../../src/client/types.ts';

const job = (id: string, fields: Partial<JobSummary>) =>
  ({ id, status: 'active', schedule: { cron: '@daily' }, ...fields }) as JobSummary;
const ids = (jobs: readonly JobSummary[]) => jobs.map(({ id }) => id);

const JOBS = [
  job('later', { nextRunAt: '2026-12-01T10:00:00.000Z' }),
  job('paused', { status: 'paused', nextRunAt: '2026-12-01T08:00:00.000Z' }),
  job('soon', { nextRunAt: '2026-12-01T09:00:00.000Z' }),
  job('never', {}),
  job('runs-once', { schedule: { at: '2026-12-01T07:00:00.000Z' } }),
  job('done', { status: 'completed' }),
];

describe('the overview', () => {
  it('lists the soonest runs of active jobs first, and leaves the jobs in their order', () => {
    const before = ids(JOBS);
    expect(ids(nextJobs(JOBS, 10))).toEqual(['soon', 'later']);
    expect(ids(nextJobs(JOBS, 1))).toEqual(['soon']);
    expect(ids(JOBS)).toEqual(before);
  });

  it('lists paused jobs, and active ones without a next run, but no job that runs once', () => {
    expect(ids(silentJobs(JOBS))).toEqual(['paused', 'never']);
  });

  it('says that there are more', () => {
    expect(countText(0, false)).toBe('0');
    expect(countText(100, true)).toBe('100+');
  });

  it('names the job that runs next, and says if another one may be earlier', () => {
    const next = job('job_1', { name: 'hourly' });
    expect(nextRunNote(next, { jobs: [next], truncated: false })).toBe('hourly');
    expect(nextRunNote(job('job_1', {}), { jobs: [next], truncated: true })).toBe(
      'job_1, of your newest 1 jobs',
    );
    expect(nextRunNote(undefined, { jobs: [], truncated: false })).toBe('Nothing is planned');
  });

  it('keeps the groups that failed in the last 24 hours, the largest of the day first', () => {
    const group = (key: string, count: number, lastDay: number) => ({ key, count, lastDay });
    const groups = {
      items: [group('old', 9, 0), group('long', 8, 1), group('new', 3, 3)],
      ...{ lookedAt: 20, truncated: false },
    } as unknown as Groups;
    expect(failuresOfDay(groups).items.map(({ key }) => key)).toEqual(['new', 'long']);
    expect(groups.items).toHaveLength(3);
  });
});

describe('the time until or since an instant', () => {
  it('is in whole seconds, and a planned time that has passed is now', () => {
    expect(relativeText(5_400, 1_000)).toBe('in 4 s');
    expect(relativeText(1_000, 1_300)).toBe('now');
    expect(relativeText(1_000, 4_000)).toBe('3 s ago');
    expect(relativeText(1_000, 4_000, { planned: true })).toBe('now');
    expect(relativeText(7_200_000, 0)).toBe('in 2 h');
  });
});
