// Lists and texts that the overview derives from its data, without React.
import type { Answer, JobSummary } from '../../../src/client/types.ts';

/** The jobs that run next, the soonest first: each job once, so that a job of every second does not hide the others. */
export const nextJobs = (jobs: readonly JobSummary[], count: number): JobSummary[] =>
  jobs
    .filter(({ status, nextRunAt }) => status === 'active' && nextRunAt !== undefined)
    .sort((a, b) => Date.parse(a.nextRunAt ?? '') - Date.parse(b.nextRunAt ?? ''))
    .slice(0, count);

/** The job that runs next. If not all jobs are known, another one may run earlier. */
export function nextRunNote(
  next: JobSummary | undefined,
  { jobs, truncated }: { readonly jobs: readonly JobSummary[]; readonly truncated: boolean },
): string {
  const name = next ? (next.name ?? next.id) : 'Nothing is planned';
  return truncated ? `${name}, of your newest ${jobs.length} jobs` : name;
}

/** Jobs that will not run until a user changes them. A job of one run has no next run while it runs, so it is not among them. */
export const silentJobs = (jobs: readonly JobSummary[]): JobSummary[] =>
  jobs.filter(
    ({ status, nextRunAt, searchingSince, schedule }) =>
      status === 'paused' ||
      (status === 'active' && (nextRunAt ?? searchingSince) === undefined && !('at' in schedule)),
  );

/** `12`, or `100+` if there are more than those that were read. */
export const countText = (count: number, more: boolean): string => `${count}${more ? '+' : ''}`;

export type Groups = Answer<'groupDeadLetters'>;

/** The groups with failures of the last 24 hours, the largest first. */
export const failuresOfDay = (groups: Groups): Groups => ({
  ...groups,
  items: groups.items.filter(({ lastDay }) => lastDay > 0).sort((a, b) => b.lastDay - a.lastDay),
});
