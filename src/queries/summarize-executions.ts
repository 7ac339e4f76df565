// A summary of the newest executions of a user in a range: counts by status, lateness, and the three that were latest.
import { giveWay } from '../concurrency/request-turns.ts';
import { InvalidInput } from '../domain/errors.ts';
import { dueBound } from '../domain/executions/ids.ts';
import { percentilesOf } from '../domain/percentiles.ts';
import type { Principal } from '../domain/principal.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import type { ExecutionSummary } from '../domain/views/statistics-views.ts';
import { executionOfRow } from '../domain/views/views.ts';
import { requireOwner } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import type { ExecutionKey } from '../store/store.ts';
import { MAX_LOADED_BYTES, ROWS_AT_ONCE } from './filtered-page.ts';
import { bytesOfKeyedRow, withRows } from './list-executions.ts';

/** Executions that one request reads at most: 0.5 RRU each, and about 30 RRU for the index. */
export const MAX_SUMMARIZED = 1_000;
/** One request to DynamoDB. */
const SMALL_ROWS_AT_ONCE = 100;
/** The mean up to which rows are small. */
const SMALL_ROW_BYTES = 8_000;
const WORST = 3;
const DEFAULT_RANGE_MS = 86_400_000;

export interface SummaryQuery {
  readonly from?: number;
  readonly to?: number;
  /** The user whose executions are summarized. Default: the caller. */
  readonly owner?: string;
}

export async function summarizeExecutions(
  context: Context,
  who: Principal,
  query: SummaryQuery,
): Promise<ExecutionSummary> {
  const owner = requireOwner(who, query.owner);
  const to = query.to ?? context.clock.now();
  const from = query.from ?? to - DEFAULT_RANGE_MS;
  if (from >= to)
    throw new InvalidInput([{ path: 'from', message: `must be before to (${iso(to)}), got ${iso(from)}` }]);
  const page = await context.store.listRowKeys(owner, {
    from: dueBound(from),
    // a range of keys ends before `to`; without `to`, what is due now belongs to it
    to: dueBound(query.to ?? to + 1),
    limit: MAX_SUMMARIZED,
  });
  const { executions, isWhole } = await readExecutions(context, page.items);
  const counts = { queued: 0, running: 0, retrying: 0, succeeded: 0, failed: 0, skipped: 0, cancelled: 0 };
  for (const { status } of executions) if (status !== 'scheduled') counts[status]++;
  const started = executions.filter(hasStarted);
  const latenessMs = percentilesOf(started.map((one) => [one.latenessMs, 1]));
  const worst = started.toSorted((a, b) => b.latenessMs - a.latenessMs).slice(0, WORST);
  return {
    ...{ from: iso(from), to: iso(to), counts },
    ...(latenessMs && { latenessMs }),
    worst: worst.map(({ id, jobId, status, dueAt, latenessMs }) => ({
      id,
      jobId,
      status,
      dueAt,
      latenessMs,
    })),
    lookedAt: executions.length,
    truncated: page.next !== undefined || !isWhole,
  };
}

/** Newest first. If the rows are large, the first ones only. */
async function readExecutions(context: Context, keys: readonly ExecutionKey[]) {
  const executions: ExecutionView[] = [];
  let from = 0;
  for (let bytes = 0; from < keys.length && bytes < MAX_LOADED_BYTES; ) {
    const areSmall = from > 0 && bytes / from < SMALL_ROW_BYTES;
    const chunk = keys.slice(from, from + (areSmall ? SMALL_ROWS_AT_ONCE : ROWS_AT_ONCE));
    for (const one of await withRows(context, chunk)) {
      const turn = giveWay();
      if (turn) await turn;
      bytes += bytesOfKeyedRow(one);
      if (one.row) executions.push(executionOfRow(one.row));
    }
    from += chunk.length;
  }
  return { executions, isWhole: from >= keys.length };
}

const hasStarted = (one: ExecutionView): one is ExecutionView & { latenessMs: number } =>
  one.latenessMs !== undefined;

const iso = (time: number): string => new Date(time).toISOString();
