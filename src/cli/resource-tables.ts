// How jobs and executions look in a table.
import type { Execution, Job } from '../client/client.ts';
import { describeSchedule } from '../domain/schedule/describe.ts';
import type { Schedule } from '../domain/schedule/schedule-schema.ts';
import { type Column, table } from './table.ts';
import { lengthText, type TimeStyle, timeText } from './times.ts';

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

export const jobTable = (jobs: readonly Job[], style: Style): string[] =>
  table(
    JOB_COLUMNS,
    jobs.map((job) => [
      job.id,
      job.name,
      job.task,
      job.status,
      timeText(job.nextRunAt, style),
      scheduleText(job),
    ]),
    style.width,
  );

/** A server that is newer than this command may have schedules that it does not know: those are shown as they are. */
export function scheduleText({ schedule }: { readonly schedule?: Job['schedule'] | undefined }): string {
  if (schedule === undefined) return '';
  try {
    return describeSchedule(schedule as Schedule);
  } catch {
    return JSON.stringify(schedule);
  }
}

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

export const executionCells = (execution: Execution, style: TimeStyle): string[] => [
  timeText(execution.dueAt, style),
  execution.status,
  execution.latenessMs === undefined ? '' : lengthText(execution.latenessMs),
  execution.durationMs === undefined ? '' : lengthText(execution.durationMs),
  `${execution.attempt}/${execution.maxAttempts}`,
  execution.id,
  whatHappened(execution),
];

export function whatHappened({ error, reason, result }: Execution): string {
  if (error) return `${error.name}: ${error.message}`;
  if (reason) return reason;
  return result === undefined ? '' : JSON.stringify(result);
}
