// Jobs and executions as text.
import type { Execution, ExecutionStatus, Job, JobSummary } from '../client/client.ts';
import { describeSchedule } from '../domain/schedule/describe.ts';
import type { Schedule } from '../domain/schedule/schedule-schema.ts';
import { type Column, table } from './table.ts';
import { bothTimes, lengthText, type TimeStyle, timeText } from './times.ts';

interface Style extends TimeStyle {
  readonly width: number;
}

const JOB_COLUMNS: readonly Column[] = [
  { title: 'ID' },
  { title: 'NAME', flexible: true },
  { title: 'TASK', flexible: true, dropOrder: 1 },
  { title: 'STATUS' },
  { title: 'NEXT RUN' },
  { title: 'SCHEDULE', flexible: true },
];

/** One character per status. */
const STRIP: Readonly<Record<ExecutionStatus, string>> = {
  scheduled: '_',
  queued: ':',
  running: '>',
  retrying: '~',
  succeeded: '.',
  failed: 'X',
  skipped: '-',
  cancelled: 'c',
};

export const STRIP_LEGEND = `last runs, newest first: ${Object.entries(STRIP)
  .filter(([status]) => status !== 'scheduled')
  .map(([status, character]) => `${character} ${status}`)
  .join(', ')}`;

const stripOf = ({ recent = [] }: Pick<JobSummary, 'recent'>): string =>
  recent.map(({ status }) => STRIP[status] ?? '?').join('');

const JOB_COLUMNS_WITH_RECENT: readonly Column[] = [
  ...JOB_COLUMNS.slice(0, 4),
  { title: 'LAST RUNS' },
  { title: 'NEXT RUN' },
  { title: 'SCHEDULE', flexible: true, dropOrder: 2 },
];

/** With a column for `recent` if a job has it. */
export const jobTable = (jobs: readonly JobSummary[], style: Style): string[] => {
  const hasRecent = jobs.some(({ recent }) => recent !== undefined);
  return table(
    hasRecent ? JOB_COLUMNS_WITH_RECENT : JOB_COLUMNS,
    jobs.map((job) => [
      job.id,
      job.name,
      job.task,
      job.status,
      ...(hasRecent ? [stripOf(job)] : []),
      job.searchingSince === undefined ? timeText(job.nextRunAt, style) : 'searching',
      scheduleText(job),
    ]),
    style.width,
  );
};

/** A newer server may have kinds of schedule that this version does not know. They are shown as JSON. */
export function scheduleText({ schedule }: { readonly schedule?: Job['schedule'] | undefined }): string {
  if (schedule === undefined) return '';
  try {
    return describeSchedule(schedule as Schedule);
  } catch {
    return JSON.stringify(schedule);
  }
}

/** The text after the schedule of a created or edited job. Empty if no run is planned. */
export const nextRunText = (job: Pick<Job, 'nextRunAt' | 'searchingSince'>, style: TimeStyle): string => {
  if (job.searchingSince !== undefined) return `; next run ${searchingText(job, style)}`;
  return job.nextRunAt === undefined ? '' : `; next run ${bothTimes(job.nextRunAt, style)}`;
};

/** The next run of a job while it is not known. Undefined if it is known, or if there is none. */
export const searchingText = (
  { searchingSince }: { searchingSince?: string | undefined },
  style: TimeStyle,
): string | undefined =>
  searchingSince === undefined ? undefined : `searching since ${bothTimes(searchingSince, style)}`;

export const jobCountText = (jobs: number): string =>
  `${jobs.toLocaleString('en')} ${jobs === 1 ? 'job' : 'jobs'}`;

const EXECUTION_COLUMNS: readonly Column[] = [
  { title: 'DUE' },
  { title: 'STATUS' },
  { title: 'LATE', right: true, dropOrder: 1 },
  { title: 'TOOK', right: true, dropOrder: 2 },
  { title: 'ATTEMPT', right: true, dropOrder: 3 },
  { title: 'ID' },
  { title: 'WHAT HAPPENED', flexible: true },
];

export const executionTable = (executions: readonly Execution[], style: Style): string[] =>
  table(
    EXECUTION_COLUMNS,
    executions.map((execution) => executionCells(execution, style)),
    style.width,
  );

const executionCells = (execution: Execution, style: TimeStyle): string[] => [
  timeText(execution.dueAt, style),
  execution.status,
  execution.latenessMs === undefined ? '' : lengthText(execution.latenessMs),
  execution.durationMs === undefined ? '' : lengthText(execution.durationMs),
  `${execution.attempt}/${execution.maxAttempts}`,
  execution.id,
  whatHappened(execution),
];

/** The error, the reason or the result of an execution. */
export function whatHappened({ error, reason, result }: Execution): string {
  if (error) return `${error.name}: ${error.message}`;
  if (reason) return reason;
  return result === undefined ? '' : JSON.stringify(result);
}
