// What the overview derives from its data, without React.
import type { JobSummary, Worker } from '../../../src/client/types.ts';

/** The jobs that run next, the soonest first: each job once, so that a job of every second does not hide the others. */
export const nextJobs = (jobs: readonly JobSummary[], count: number): JobSummary[] =>
  jobs
    .filter(({ status, nextRunAt }) => status === 'active' && nextRunAt !== undefined)
    .sort((a, b) => Date.parse(a.nextRunAt ?? '') - Date.parse(b.nextRunAt ?? ''))
    .slice(0, count);

/** Jobs that will not run unless somebody acts. A job of one run has no next run while it runs, so it is not among them. */
export const silentJobs = (jobs: readonly JobSummary[]): JobSummary[] =>
  jobs.filter(
    ({ status, nextRunAt, schedule }) =>
      status === 'paused' || (status === 'active' && nextRunAt === undefined && !('at' in schedule)),
  );

/** `12`, or `100+` if there are more than those that were read. */
export const countText = (count: number, more: boolean): string => `${count}${more ? '+' : ''}`;

/** The run slots of all workers. A worker of an earlier version does not report its slots. */
export function slotsOf(workers: readonly Worker[]): { used: number; total: number; draining: number } {
  return {
    used: workers.reduce((sum, { running }) => sum + running.length, 0),
    total: workers.reduce((sum, { concurrency = 0 }) => sum + concurrency, 0),
    draining: workers.filter(({ draining }) => draining).length,
  };
}
