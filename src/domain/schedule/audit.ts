// The audit of a job: the occurrences that its schedule expects, compared with the executions that are recorded. It finds
// occurrences that are missing, late or doubled. It runs in the command line and in a browser.
import { InvalidInput } from '../errors.ts';
import { dueAtOf, parseExecutionId } from '../executions/ids.ts';
import { isoUtc } from './instant.ts';
import { fireAt, hasZoneRules, nearestOccurrence, occurrencesUntil } from './occurrences.ts';
import type { Schedule } from './schedule-schema.ts';

/** The fields of an execution that the audit reads, as the API shows them. */
export interface AuditedExecution {
  readonly id: string;
  readonly dueAt: string;
  readonly status: string;
  readonly fireAt: string;
  /** Absent if no attempt has started. */
  readonly latenessMs?: number | undefined;
}

/** From `from` (inclusive) to `to` (exclusive), in epoch milliseconds. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

export interface AuditInput extends Interval {
  readonly jobId: string;
  readonly schedule: Schedule;
  /** Occurrences after this time are not expected yet. */
  readonly now: number;
  /** An execution that starts later than this is late. An occurrence without an execution is missing after this time. */
  readonly lateMs: number;
  /** The times at which the job was paused. An occurrence without an execution is not expected there. */
  readonly pauses?: readonly Interval[];
  /**
   * All executions due in the interval. If the schedule has a timezone with rules, also the executions due around it:
   * earlier rules may have placed an occurrence outside.
   */
  readonly executions: Iterable<AuditedExecution>;
}

export interface AuditReport {
  readonly expected: number;
  /** Expected occurrences that have an execution. */
  readonly recorded: number;
  /** Recorded executions that a policy skipped. */
  readonly skipped: number;
  /** Recorded executions that ran at a time of earlier timezone rules. The present rules do not have that time. */
  readonly byEarlierRules: number;
  /** Occurrences without an execution that were due less than `lateMs` ago. */
  readonly pending: number;
  /** Occurrences without an execution that fell into a pause. `expected` does not count them. */
  readonly paused: number;
  readonly missing: readonly { readonly dueAt: string }[];
  readonly late: readonly {
    readonly dueAt: string;
    readonly executionId: string;
    readonly status: string;
    readonly latenessMs: number;
  }[];
  readonly doubled: readonly { readonly dueAt: string; readonly executionIds: readonly string[] }[];
  /** Executions at times that the present schedule does not have. */
  readonly unexpected: readonly { readonly dueAt: string; readonly executionId: string }[];
  /** Manual runs. The audit expects no occurrence for them. */
  readonly byHand: number;
}

const MAX_EXPECTED = 100_000;

/** Throws InvalidInput if the schedule has more than `MAX_EXPECTED` occurrences in the interval. */
export function audit(input: AuditInput): AuditReport {
  const { jobId, schedule, now, lateMs } = input;
  const { executions, byHand } = byDueTime(input);
  const counts = { expected: 0, recorded: 0, skipped: 0, byEarlierRules: 0, pending: 0, paused: 0 };
  const missing: number[] = [];
  const late: AuditReport['late'][number][] = [];
  const doubled: AuditReport['doubled'][number][] = [];

  const record = (due: number): void => {
    const found = executions.get(due) ?? [];
    executions.delete(due);
    const [execution] = found;
    if (!execution) return;
    const dueAt = isoUtc(due);
    counts.recorded++;
    if (found.length > 1) doubled.push({ dueAt, executionIds: found.map(({ id }) => id) });
    if (execution.status === 'skipped') counts.skipped++;
    // Jitter is not lateness.
    const latenessMs = latenessOf(execution, fireAt(schedule, jobId, due), now);
    if (latenessMs > lateMs)
      late.push({ dueAt, executionId: execution.id, status: execution.status, latenessMs });
  };

  // A pause withdraws occurrences whose fire time has not come. The end of a pause plans by due time.
  const isPaused = (due: number): boolean =>
    (input.pauses ?? []).some(({ from, to }) => fireAt(schedule, jobId, due) >= from && due < to);
  for (const due of expectedDues(input)) {
    if (!executions.has(due) && isPaused(due)) {
      counts.paused++;
      continue;
    }
    counts.expected++;
    if (executions.has(due)) record(due);
    else if (now - fireAt(schedule, jobId, due) <= lateMs) counts.pending++;
    else missing.push(due);
  }
  for (const [due, ranAt] of movedDues(schedule, missing, executions)) {
    missing.splice(missing.indexOf(due), 1);
    counts.byEarlierRules++;
    record(ranAt);
  }
  const isInRange = (due: number): boolean => due >= input.from && due < input.to;
  const unexpected = [...executions]
    .filter(([due]) => isInRange(due) && isInRange(presentDue(schedule, due) ?? due))
    .flatMap(([, found]) => found.map(({ dueAt, id }) => ({ dueAt, executionId: id })));
  return {
    ...counts,
    missing: missing.map((due) => ({ dueAt: isoUtc(due) })),
    ...{ late, doubled, unexpected, byHand },
  };
}

/** All offsets of timezones are multiples of 15 minutes. */
const QUARTER_MS = 900_000;

/**
 * Missing occurrences that ran at another time, because their timezone had other rules then. The keys are the missing due
 * times, the values are the due times of the executions that stand for them.
 */
function movedDues(
  schedule: Schedule,
  missing: readonly number[],
  executions: ReadonlyMap<number, unknown>,
): Map<number, number> {
  const moved = new Map<number, number>();
  const open = new Set(missing);
  for (const ranAt of [...executions.keys()].sort((a, b) => a - b)) {
    const due = presentDue(schedule, ranAt);
    if (due !== undefined && open.delete(due)) moved.set(due, ranAt);
  }
  return moved;
}

/** The occurrence that a planned time has become by the present timezone rules. Undefined if rules did not move it. */
function presentDue(schedule: Schedule, planned: number): number | undefined {
  if (!hasZoneRules(schedule)) return undefined;
  const due = nearestOccurrence(schedule, planned);
  return due !== undefined && (due - planned) % QUARTER_MS === 0 ? due : undefined;
}

function* expectedDues({ schedule, from, to, now }: AuditInput): Generator<number> {
  let count = 0;
  for (const due of occurrencesUntil(schedule, from - 1, Math.min(to - 1, now))) {
    if (++count > MAX_EXPECTED) {
      const message = `more than ${MAX_EXPECTED} occurrences fall between ${isoUtc(from)} and ${isoUtc(to)}: take a shorter range`;
      throw new InvalidInput([{ path: '', message }]);
    }
    yield due;
  }
}

function byDueTime({ executions: given, from, to }: AuditInput) {
  const executions = new Map<number, AuditedExecution[]>();
  let byHand = 0;
  for (const execution of given) {
    const due = parseExecutionId(execution.id)?.due ?? '';
    const dueAt = dueAtOf(due);
    // Only the keys of manual runs have a suffix.
    if (due.includes('-')) {
      if (dueAt >= from && dueAt < to) byHand++;
      continue;
    }
    executions.set(dueAt, [...(executions.get(dueAt) ?? []), execution]);
  }
  return { executions, byHand };
}

/** Before the start, the lateness is the time waited so far. An execution that will never start has a lateness of 0. */
function latenessOf({ status, fireAt, latenessMs }: AuditedExecution, start: number, now: number): number {
  // the first start, which a backfill counts from its request and not from the schedule
  if (latenessMs !== undefined) return Date.parse(fireAt) + latenessMs - start;
  return status === 'skipped' || status === 'cancelled' ? 0 : now - start;
}
