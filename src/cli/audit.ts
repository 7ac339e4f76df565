// What should have run against what has: which occurrences of a schedule have no row, started late, or have two rows.
import type { Execution } from '../client/client.ts';
import { dueAtOf, parseExecutionId } from '../domain/executions/ids.ts';
import { fireAt, hasZoneRules, nearestOccurrence, occurrencesAfter } from '../domain/schedule/occurrences.ts';
import type { Schedule } from '../domain/schedule/schema.ts';
import { UsageError } from './command.ts';
import { iso } from './times.ts';

export interface AuditInput {
  readonly jobId: string;
  readonly schedule: Schedule;
  /** Due at or after. */
  readonly from: number;
  /** Due before; what is to come is not expected yet. */
  readonly to: number;
  readonly now: number;
  /** Later than this is late; without a row for longer than this is missing. */
  readonly lateMs: number;
  /** Intervals in which the job was paused. An occurrence without a row is not expected there. */
  readonly pauses?: readonly Pause[];
  /** All of that range, and those around it that may have been due in it by earlier rules of the timezone. */
  readonly executions: Iterable<Execution>;
}

/** From `from` up to (not including) `to`. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

export interface AuditReport {
  readonly expected: number;
  /** Have a row, or run now. */
  readonly recorded: number;
  /** Of these: skipped by a policy, with a reason in the row. */
  readonly skipped: number;
  /** Of the recorded ones: ran at a time that the rules of the timezone had then, and do not have today. */
  readonly byEarlierRules: number;
  /** Due a moment ago: not to be missed yet. */
  readonly pending: number;
  /** Fell into a pause and have no row; not among the expected ones. */
  readonly paused: number;
  readonly missing: readonly { readonly dueAt: string }[];
  readonly late: readonly {
    readonly dueAt: string;
    readonly executionId: string;
    readonly status: Execution['status'];
    readonly latenessMs: number;
  }[];
  readonly doubled: readonly { readonly dueAt: string; readonly executionIds: readonly string[] }[];
  /** Rows at times that the schedule, as it is today, does not have. */
  readonly unexpected: readonly { readonly dueAt: string; readonly executionId: string }[];
  /** Started by people; no occurrence is expected for them. */
  readonly byHand: number;
}

const MAX_EXPECTED = 100_000;

export function audit(input: AuditInput): AuditReport {
  const { jobId, schedule, now, lateMs } = input;
  const { rows, byHand } = byDueTime(input);
  const report = { expected: 0, recorded: 0, skipped: 0, byEarlierRules: 0, pending: 0, paused: 0 };
  const missing: number[] = [];
  const late: AuditReport['late'][number][] = [];
  const doubled: AuditReport['doubled'][number][] = [];

  const record = (due: number): void => {
    const found = rows.get(due) ?? [];
    rows.delete(due);
    const [execution] = found;
    if (!execution) return;
    const dueAt = iso(due);
    report.recorded++;
    if (found.length > 1) doubled.push({ dueAt, executionIds: found.map(({ id }) => id) });
    if (execution.status === 'skipped') report.skipped++;
    // jitter is not lateness
    const latenessMs = latenessOf(execution, fireAt(schedule, jobId, due), now);
    if (latenessMs > lateMs)
      late.push({ dueAt, executionId: execution.id, status: execution.status, latenessMs });
  };

  // a pause withdraws what it finds before the fire time, and its end plans by due time
  const isPaused = (due: number): boolean =>
    (input.pauses ?? []).some(({ from, to }) => fireAt(schedule, jobId, due) >= from && due < to);
  for (const due of expectedDues(input)) {
    if (!rows.has(due) && isPaused(due)) {
      report.paused++;
      continue;
    }
    report.expected++;
    if (rows.has(due)) record(due);
    else if (now - fireAt(schedule, jobId, due) <= lateMs) report.pending++;
    else missing.push(due);
  }
  for (const [due, ranAt] of movedDues(schedule, missing, rows)) {
    missing.splice(missing.indexOf(due), 1);
    report.byEarlierRules++;
    record(ranAt);
  }
  const isInRange = (due: number): boolean => due >= input.from && due < input.to;
  const unexpected = [...rows]
    .filter(([due]) => isInRange(due) && isInRange(dueToday(schedule, due) ?? due))
    .flatMap(([, found]) => found.map(({ dueAt, id }) => ({ dueAt, executionId: id })));
  return {
    ...report,
    missing: missing.map((due) => ({ dueAt: iso(due) })),
    ...{ late, doubled, unexpected, byHand },
  };
}

/** All offsets of timezones are multiples of this. */
const QUARTER_MS = 900_000;

/**
 * Which missing occurrence ran at which other time, because the rules of its timezone were different then: one whose row
 * is at the time that has become this occurrence by the rules of today.
 */
function movedDues(
  schedule: Schedule,
  missing: readonly number[],
  rows: ReadonlyMap<number, unknown>,
): Map<number, number> {
  const moved = new Map<number, number>();
  const open = new Set(missing);
  for (const ranAt of [...rows.keys()].sort((a, b) => a - b)) {
    const due = dueToday(schedule, ranAt);
    if (due !== undefined && open.delete(due)) moved.set(due, ranAt);
  }
  return moved;
}

/** What has become of a planned time by the rules of today. */
function dueToday(schedule: Schedule, planned: number): number | undefined {
  if (!hasZoneRules(schedule)) return undefined;
  const due = nearestOccurrence(schedule, planned);
  return due !== undefined && (due - planned) % QUARTER_MS === 0 ? due : undefined;
}

function* expectedDues({ schedule, from, to, now }: AuditInput): Generator<number> {
  let count = 0;
  for (const due of occurrencesAfter(schedule, from - 1)) {
    if (due >= to || due > now) return;
    if (++count > MAX_EXPECTED) {
      throw new UsageError(
        `more than ${MAX_EXPECTED} occurrences fall between ${iso(from)} and ${iso(to)}: take a shorter range`,
      );
    }
    yield due;
  }
}

function byDueTime({ executions, from, to }: AuditInput) {
  const rows = new Map<number, Execution[]>();
  let byHand = 0;
  for (const execution of executions) {
    const due = parseExecutionId(execution.id)?.due ?? '';
    const dueAt = dueAtOf(due);
    if (due.includes('-')) {
      if (dueAt >= from && dueAt < to) byHand++;
      continue;
    }
    rows.set(dueAt, [...(rows.get(dueAt) ?? []), execution]);
  }
  return { rows, byHand };
}

/** Of one that has not started: how long it has waited. Of one that never will: none. */
function latenessOf({ status, timeline }: Execution, start: number, now: number): number {
  if (timeline.startedAt !== undefined) return Date.parse(timeline.startedAt) - start;
  return status === 'skipped' || status === 'cancelled' ? 0 : now - start;
}
