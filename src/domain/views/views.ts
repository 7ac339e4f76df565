// Jobs and executions as the API shows them. Their status is derived from the stored state and the time.

import { MAX_KEPT_ATTEMPTS } from '../executions/attempts.ts';
import { type DueKey, dueAtOf, dueKey, executionId } from '../executions/ids.ts';
import type { PastAttempt, Row, RowStatus } from '../executions/row.ts';
import { shortError } from '../executions/run-error.ts';
import type { Definition, Head } from '../jobs/job.ts';
import type { Principal } from '../principal.ts';
import {
  fireAt,
  isRecurring,
  latestOccurrence,
  nextOrSearching,
  unlessEnded,
} from '../schedule/occurrences.ts';
import type { Schedule } from '../schedule/schedule-schema.ts';
import { SearchBudget } from '../schedule/search-budget.ts';
import { type ScheduleWarning, scheduleWarnings } from '../schedule/warnings.ts';
import type {
  AttemptView,
  ExecutionStatus,
  ExecutionView,
  JobStatus,
  JobSummaryView,
  JobView,
  RecentExecution,
} from './resource-schemas.ts';

const STATUS: Record<RowStatus, ExecutionStatus> = {
  QUEUED: 'queued',
  RUNNING: 'running',
  RETRYING: 'retrying',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  SKIPPED: 'skipped',
  CANCELLED: 'cancelled',
};

export const statusWord = (status: RowStatus): ExecutionStatus => STATUS[status];

const iso = (time: number): string => new Date(time).toISOString();

/** A copy without undefined values, as JSON would have it. */
function present<T extends object>(value: T): T {
  const filled: Partial<T> = {};
  for (const key in value) if (value[key] !== undefined) filled[key] = value[key];
  return filled as T;
}

/** The view with the owner of the job, if an operator reads it. Users read only what they own. */
export const withOwner = <View extends JobView | JobSummaryView | ExecutionView>(
  who: Principal,
  view: View,
  owner: string,
): View => (who.operator ? { ...view, owner } : view);

export function executionOfRow(row: Row): ExecutionView {
  const dueAt = dueAtOf(row.due);
  const { startedAt, finishedAt, enqueuedAt, receivedAt } = row;
  const firesAt = row.fireAt ?? dueAt;
  const firstStart = row.firstStartedAt ?? startedAt;
  const attempts = attemptsOf(row);
  return present({
    id: executionId(row.jobId, row.due),
    jobId: row.jobId,
    status: statusWord(row.status),
    dueAt: iso(dueAt),
    fireAt: iso(firesAt),
    trigger: triggerOf(row),
    attempt: row.attempt,
    maxAttempts: row.maxAttempts,
    workerId: row.workerId,
    latenessMs: firstStart === undefined ? undefined : firstStart - firesAt,
    durationMs: durationOf(row),
    result: row.result,
    error: row.error && { ...row.error },
    reason: row.reason,
    params: row.params && { ...row.params },
    nextAttemptAt:
      row.status === 'RETRYING' && row.nextAttemptAt !== undefined ? iso(row.nextAttemptAt) : undefined,
    attempts: attempts.length > 0 ? attempts : undefined,
    stopping: row.status === 'RUNNING' ? row.cancelRequested : undefined,
    progress:
      row.status === 'RUNNING' && row.progress ? { ...row.progress, at: iso(row.progress.at) } : undefined,
    dismissed: row.dismissed,
    timeline: present({
      dueAt: iso(dueAt),
      enqueuedAt: enqueuedAt === undefined ? undefined : iso(enqueuedAt),
      receivedAt: receivedAt === undefined ? undefined : iso(receivedAt),
      startedAt: startedAt === undefined ? undefined : iso(startedAt),
      finishedAt: finishedAt === undefined ? undefined : iso(finishedAt),
    }),
  });
}

/** How long its attempts have run in all. Undefined before its end, and if none has started. */
function durationOf({ startedAt, finishedAt, ranMs }: Row): number | undefined {
  if (startedAt === undefined || finishedAt === undefined) return undefined;
  return ranMs ?? finishedAt - startedAt;
}

/** The run of an occurrence by its schedule has no trigger in its row. The key of a run-now is not that of an occurrence. */
const triggerOf = ({ trigger, due }: Pick<Row, 'trigger' | 'due'>): ExecutionView['trigger'] =>
  trigger ?? (due === dueKey(dueAtOf(due)) ? 'schedule' : 'manual');

/** The attempts in the row, and the present one. An interrupted attempt does not count and is left out. */
function attemptsOf(row: Row): AttemptView[] {
  const { attempt, startedAt, finishedAt, workerId = '', receivedAt, error, status } = row;
  const kept = row.attempts ?? [];
  const isPresent =
    startedAt !== undefined && status !== 'RETRYING' && !kept.some((one) => one.attempt === attempt);
  const present = isPresent ? [{ attempt, workerId, receivedAt, startedAt, finishedAt, error }] : [];
  return [...kept, ...present].slice(-MAX_KEPT_ATTEMPTS).map(attemptView);
}

const attemptView = (
  one: Omit<PastAttempt, 'finishedAt'> & { finishedAt?: number | undefined },
): AttemptView =>
  present({
    attempt: one.attempt,
    workerId: one.workerId,
    receivedAt: one.receivedAt === undefined ? undefined : iso(one.receivedAt),
    startedAt: iso(one.startedAt),
    finishedAt: one.finishedAt === undefined ? undefined : iso(one.finishedAt),
    error: one.error && shortError(one.error),
  });

type PlannedJob = Pick<Head, 'jobId' | 'retry' | 'schedule'>;

/** An execution without a row: `scheduled` until it is due, then `queued`. */
export function plannedExecution(head: PlannedJob, due: DueKey, now: number): ExecutionView {
  const dueAt = dueAtOf(due);
  return {
    id: executionId(head.jobId, due),
    jobId: head.jobId,
    status: dueAt > now ? 'scheduled' : 'queued',
    dueAt: iso(dueAt),
    fireAt: iso(fireAt(head.schedule, head.jobId, dueAt)),
    trigger: triggerOf({ due }),
    attempt: 0,
    maxAttempts: head.retry.maxAttempts,
    timeline: { dueAt: iso(dueAt) },
  };
}

/** The fields of a head that its view depends on. */
export type VisibleHead = Omit<Head, 'lock' | 'coveredUntil' | 'bodyFingerprint'>;

/** True for the stored status `paused`, and until the end of a pause that ends by itself. */
export const isPaused = (
  { status, pausedUntil = 0 }: Pick<Head, 'status' | 'pausedUntil'>,
  now: number,
): boolean => status === 'paused' || (status === 'active' && pausedUntil > now);

/** A recurring job without a further occurrence is `completed`. This is derived, so it costs no write. */
export function jobStatus(head: VisibleHead, now: number, searches: SearchBudget): JobStatus {
  if (isPaused(head, now)) return 'paused';
  const over =
    head.status === 'active' &&
    isRecurring(head.schedule) &&
    nextOrSearching(head.schedule, now, searches) === undefined;
  return over ? 'completed' : head.status;
}

/** The field `warnings` of a response. It is absent if the schedule has no warnings. */
export function warningsOf(
  schedule: Schedule,
  now: number,
  searches?: SearchBudget,
): { warnings?: ScheduleWarning[] } {
  // what is not known by the end of the budget is no warning
  const warnings = unlessEnded(
    () => scheduleWarnings(schedule, now, searches),
    () => [],
  );
  return warnings.length > 0 ? { warnings } : {};
}

export function jobView(
  head: VisibleHead,
  definition: Definition | undefined,
  now: number,
  last?: ExecutionView,
  searches = new SearchBudget(),
): JobView {
  // An occurrence that is due has an execution. An immediate job is due at the instant of its creation, so it counts as next.
  const after = Math.max(isRecurring(head.schedule) ? now : now - 1, (head.pausedUntil ?? 0) - 1);
  const next = head.status === 'active' ? nextOrSearching(head.schedule, after, searches) : undefined;
  return present({
    name: head.name,
    namespace: head.namespace,
    task: head.task,
    params: { ...definition?.params },
    schedule: head.schedule,
    retry: head.retry,
    timeoutSeconds: head.timeoutSeconds,
    overlap: head.overlap,
    misfire: head.misfire,
    limit: head.limit,
    notify: [...(definition?.notify ?? [])] as JobView['notify'],
    tags: { ...head.tags },
    id: head.jobId,
    status: jobStatus(head, now, searches),
    version: head.version,
    createdAt: iso(head.createdAt),
    updatedAt: iso(head.updatedAt),
    nextRunAt: typeof next === 'number' ? iso(next) : undefined,
    searchingSince: next === 'searching' ? iso(searchingSince(head, now, searches)) : undefined,
    pausedUntil: (head.pausedUntil ?? 0) > now ? iso(head.pausedUntil ?? 0) : undefined,
    lastExecution: last,
  });
}

/** The latest occurrence, or the last change if none has come since. From there on, the next one is searched for. */
export function searchingSince(
  { schedule, updatedAt, pausedUntil = 0 }: VisibleHead,
  now: number,
  searches: SearchBudget,
): number {
  const changed = Math.max(updatedAt, Math.min(pausedUntil, now));
  const latest = unlessEnded(
    () => latestOccurrence(schedule, changed, now, searches),
    () => undefined,
  );
  return latest ?? changed;
}

/** A job without `params` and `notify`, so its definition is not needed. */
export function jobSummary(head: VisibleHead, now: number, searches?: SearchBudget): JobSummaryView {
  const { params: _params, notify: _notify, ...summary } = jobView(head, undefined, now, undefined, searches);
  return summary;
}

/** The fields of an execution that lists of jobs show. */
export const recentExecution = ({
  id,
  status,
  dueAt,
  latenessMs,
  durationMs,
}: ExecutionView): RecentExecution => present({ id, status, dueAt, latenessMs, durationMs });
