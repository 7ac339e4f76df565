// What should have run against what has: which occurrences of a schedule have no row, started late, or have two rows.
import type { Execution } from '../client/client.ts';
import { dueAtOf, parseExecutionId } from '../domain/ids.ts';
import { fireAt, occurrencesAfter } from '../domain/schedule/occurrences.ts';
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
  /** All of that range. */
  readonly executions: Iterable<Execution>;
}

export interface AuditReport {
  readonly expected: number;
  /** Have a row, or run now. */
  readonly recorded: number;
  /** Of these: skipped by a policy, with a reason in the row. */
  readonly skipped: number;
  /** Due a moment ago: not to be missed yet. */
  readonly pending: number;
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

const MOST_EXPECTED = 100_000;

export function audit(input: AuditInput): AuditReport {
  const { jobId, schedule, now, lateMs } = input;
  const { rows, byHand } = byDueTime(input.executions);
  const report = { expected: 0, recorded: 0, skipped: 0, pending: 0 };
  const missing: AuditReport['missing'][number][] = [];
  const late: AuditReport['late'][number][] = [];
  const doubled: AuditReport['doubled'][number][] = [];

  for (const due of expectedDues(input)) {
    report.expected++;
    const found = rows.get(due) ?? [];
    rows.delete(due);
    const [execution] = found;
    const dueAt = iso(due);
    // jitter is not lateness
    const start = fireAt(schedule, jobId, due);
    if (!execution) {
      if (now - start <= lateMs) report.pending++;
      else missing.push({ dueAt });
      continue;
    }
    report.recorded++;
    if (found.length > 1) doubled.push({ dueAt, executionIds: found.map(({ id }) => id) });
    if (execution.status === 'skipped') report.skipped++;
    const latenessMs = latenessOf(execution, start, now);
    if (latenessMs > lateMs)
      late.push({ dueAt, executionId: execution.id, status: execution.status, latenessMs });
  }
  const unexpected = [...rows.values()].flat().map(({ dueAt, id }) => ({ dueAt, executionId: id }));
  return { ...report, missing, late, doubled, unexpected, byHand };
}

function* expectedDues({ schedule, from, to, now }: AuditInput): Generator<number> {
  let count = 0;
  for (const due of occurrencesAfter(schedule, from - 1)) {
    if (due >= to || due > now) return;
    if (++count > MOST_EXPECTED) {
      throw new UsageError(
        `more than ${MOST_EXPECTED} occurrences fall between ${iso(from)} and ${iso(to)}: take a shorter range`,
      );
    }
    yield due;
  }
}

function byDueTime(executions: Iterable<Execution>) {
  const rows = new Map<number, Execution[]>();
  let byHand = 0;
  for (const execution of executions) {
    const due = parseExecutionId(execution.id)?.due ?? '';
    if (due.includes('-')) {
      byHand++;
      continue;
    }
    const dueAt = dueAtOf(due);
    rows.set(dueAt, [...(rows.get(dueAt) ?? []), execution]);
  }
  return { rows, byHand };
}

/** Of one that has not started: how long it has waited. Of one that never will: none. */
function latenessOf({ status, timeline }: Execution, start: number, now: number): number {
  if (timeline.startedAt !== undefined) return Date.parse(timeline.startedAt) - start;
  return status === 'skipped' || status === 'cancelled' ? 0 : now - start;
}
