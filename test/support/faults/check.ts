// The promises, checked at the end: the rows of the ledger are compared with the records of the tasks.

import { dueKey } from '../../../src/domain/executions/ids.ts';
import { isTerminal, type Row } from '../../../src/domain/executions/row.ts';
import { occurrencesAfter } from '../../../src/domain/schedule/occurrences.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule-schema.ts';
import type { Run } from './probe.ts';

/** A job that was accepted. */
export interface Accepted {
  readonly jobId: string;
  readonly schedule: Schedule;
  readonly createdAt: number;
  readonly overlap: 'skip' | 'queue' | 'allow';
  /** When a cancel, a pause or an edit of the schedule was requested, and when a cancel had returned. */
  withdrawAskedAt?: number;
  cancelledAt?: number;
  /** The rows that were RUNNING right after the cancel had returned. */
  runningThen?: readonly Pick<Row, 'due' | 'number'>[];
}

export interface Observed {
  readonly jobs: readonly Accepted[];
  /** All occurrences up to this time are checked. */
  readonly until: number;
  readonly rows: ReadonlyMap<string, readonly Row[]>;
  readonly runs: readonly Run[];
  /** When each process was killed, or frozen for longer than its leases, by process id. */
  readonly stopped: ReadonlyMap<number, number>;
}

/** The due keys of the executions that must have ended. */
export function expectedDues({ schedule, createdAt, withdrawAskedAt }: Accepted, until: number): string[] {
  if (withdrawAskedAt !== undefined) return []; // what had not begun is withdrawn, overdue or not
  const dues: string[] = [];
  for (const due of occurrencesAfter(schedule, createdAt - 1)) {
    if (due > until) break;
    dues.push(dueKey(due));
  }
  return dues;
}

/** The last due time of these jobs. A job without an end does not count, because it is cancelled or checked in part. */
export function lastDue(jobs: readonly Accepted[]): number {
  const ends = jobs.map(({ schedule }) => ('at' in schedule ? schedule.at : schedule.endAt));
  return Math.max(...ends.flatMap((end) => (end === undefined ? [] : Date.parse(end))));
}

/** A description of every execution that has not ended. */
export function unfinished({ jobs, until, rows, runs }: Observed): string[] {
  return jobs.flatMap((job) => {
    const own = new Map((rows.get(job.jobId) ?? []).map((row) => [row.due, row]));
    const missing = expectedDues(job, until).filter((due) => !own.has(due));
    const ran = runs.filter(
      (run) => run.jobId === job.jobId && !own.has(run.executionId.slice(job.jobId.length + 1)),
    );
    const open = [...own.values()].filter((row) => !isTerminal(row.status));
    return [
      ...missing.map((due) => `${job.jobId}.${due} has no row`),
      ...ran.map((run) => `${run.executionId} ran and has no row`),
      ...open.map((row) => `${job.jobId}.${row.due} is ${row.status}`),
    ];
  });
}

/** A description of every broken promise. */
export function brokenPromises(observed: Observed): string[] {
  const { jobs, runs } = observed;
  const broken = unfinished(observed);
  for (const job of jobs) {
    const own = runs
      .filter((run) => run.jobId === job.jobId)
      .sort((a, b) => a.at - b.at || a.fence - b.fence);
    broken.push(...early(own), ...afterCancel(job, own), ...withoutRun(observed, job, own));
    if (job.overlap !== 'allow') broken.push(...overlaps(observed, own), ...fencesThatFall(own));
  }
  const known = new Set(jobs.map((job) => job.jobId));
  broken.push(
    ...runs
      .filter((run) => !known.has(run.jobId))
      .map((run) => `${run.executionId} ran, and nobody has created it`),
  );
  return broken;
}

const early = (runs: readonly Run[]): string[] =>
  runs
    .filter((run) => run.at < run.due)
    .map((run) => `${run.executionId} began ${run.due - run.at} ms early`);

/** An execution that was RUNNING at the cancel counts as begun: its worker may be frozen just before the task. */
function afterCancel(job: Accepted, runs: readonly Run[]): string[] {
  const { cancelledAt = Number.POSITIVE_INFINITY } = job;
  const wasRunning = (run: Run) =>
    (job.runningThen ?? []).some(
      // claims are numbered, so this one or an earlier one is older than the cancel
      ({ due, number }) => run.executionId === `${job.jobId}.${due}` && run.fence <= number,
    );
  return runs
    .filter((run) => run.at > cancelledAt && !wasRunning(run))
    .map((run) => `${run.executionId} began ${run.at - cancelledAt} ms after its cancel had returned`);
}

function withoutRun({ rows }: Observed, { jobId }: Accepted, runs: readonly Run[]): string[] {
  return (rows.get(jobId) ?? [])
    .filter((row) => row.status === 'SUCCEEDED')
    .filter((row) => !runs.some((r) => r.executionId === `${jobId}.${row.due}` && r.end?.how === 'done'))
    .map((row) => `${jobId}.${row.due} is SUCCEEDED, and no run of it came to its end`);
}

/** A run ends with its own record or with its process. */
function endOf({ stopped }: Observed, run: Run): number {
  return Math.min(run.end?.at ?? Number.POSITIVE_INFINITY, stopped.get(run.pid) ?? Number.POSITIVE_INFINITY);
}

function overlaps(observed: Observed, runs: readonly Run[]): string[] {
  return runs.flatMap((run, i) =>
    runs
      .slice(i + 1)
      .filter((later) => later.at < endOf(observed, run))
      .map(
        (later) =>
          `${later.executionId} (attempt ${later.attempt}, process ${later.pid}) began at ${later.at} while ${run.executionId} (attempt ${run.attempt}, process ${run.pid}) was still running`,
      ),
  );
}

/** The fencing numbers of a job only grow. */
const fencesThatFall = (runs: readonly Run[]): string[] =>
  runs.flatMap((run, i) => {
    const before = runs[i - 1];
    return before && run.fence <= before.fence
      ? [`${run.executionId} ran with fence ${run.fence} after ${before.executionId} with ${before.fence}`]
      : [];
  });
