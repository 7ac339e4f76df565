// The executions of one job.
import { dueAtOf, dueBound, dueKey } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Head } from '../domain/jobs/job.ts';
import { jsonBytes } from '../domain/jobs/stored-bytes.ts';
import type { Principal } from '../domain/principal.ts';
import { SearchEnded } from '../domain/schedule/search-budget.ts';
import type { ExecutionStatus, ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, plannedExecution, withOwner } from '../domain/views/views.ts';
import { requireJob } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import { occurrencesInParts } from '../scheduling/searches.ts';
import { BEFORE_ALL_ROWS, invalidCursor, rowCursor } from '../store/cursors.ts';
import { filteredPage, type Listed, ROWS_AT_ONCE } from './filtered-page.ts';
import { listPending } from './planned-executions.ts';

export interface ExecutionsQuery {
  readonly status?: ExecutionStatus;
  /** The earliest due time, inclusive. Epoch milliseconds. */
  readonly from?: number;
  /** The latest due time, exclusive. Epoch milliseconds. */
  readonly to?: number;
  readonly limit: number;
  readonly cursor?: string;
}

/** Running and past executions, newest first. With `status: 'scheduled'`, planned executions, soonest first. */
export async function listJobExecutions(
  context: Context,
  who: Principal,
  jobId: string,
  query: ExecutionsQuery,
): Promise<Listed<ExecutionView>> {
  const head = await requireJob(context, who, jobId);
  const { items, nextCursor } = await (query.status === 'scheduled'
    ? upcoming(context, head, query)
    : pastAndRunning(context, head, query));
  return { items: items.map((execution) => withOwner(who, execution, head.userId)), nextCursor };
}

async function pastAndRunning(
  context: Context,
  head: Head,
  query: ExecutionsQuery,
): Promise<Listed<ExecutionView>> {
  const first = query.cursor ? [] : (await listPending(context, head)).filter((e) => matchesQuery(e, query));
  const items = first.slice(0, query.limit);
  if (items.length === query.limit) return { items, nextCursor: BEFORE_ALL_ROWS };
  const rows = await filteredPage<Row>(
    { limit: query.limit - items.length, cursor: query.cursor },
    {
      read: (limit, cursor) =>
        context.store.listRows(head.jobId, {
          limit: Math.min(limit, ROWS_AT_ONCE),
          cursor,
          newestFirst: true,
          consistent: true,
          ...(query.from !== undefined && { from: dueBound(query.from) }),
          ...(query.to !== undefined && { to: dueBound(query.to) }),
        }),
      load: async (rows) => rows,
      matches: (row) => matchesQuery(executionOfRow(row), query),
      cursorOf: rowCursor,
      bytesOf: jsonBytes,
    },
  );
  return { items: [...items, ...rows.items.map(executionOfRow)], nextCursor: rows.nextCursor };
}

export const matchesQuery = (e: ExecutionView, query: ExecutionsQuery): boolean =>
  (!query.status || e.status === query.status) &&
  (query.from === undefined || Date.parse(e.dueAt) >= query.from) &&
  (query.to === undefined || Date.parse(e.dueAt) < query.to);

/** Rows of occurrences to come that one page reads. They were cancelled in advance. */
const MAX_CANCELLED = 100;

/** Planned occurrences, soonest first. 1 RRU, for those that were cancelled in advance. */
async function upcoming(
  context: Context,
  head: Head,
  query: ExecutionsQuery,
): Promise<Listed<ExecutionView>> {
  const { clock, store } = context;
  const now = clock.now();
  if (head.status !== 'active') return { items: [] };
  const { from = 0, cursor = dueKey(0) } = query;
  if (!/^\d{13}$/.test(cursor)) throw invalidCursor();
  // what was due since the page of the cursor is not planned any more
  const after = Math.max(now, from - 1, (head.pausedUntil ?? 0) - 1, dueAtOf(cursor));
  const written = await store.listRows(head.jobId, {
    ...{ from: dueBound(after + 1), limit: MAX_CANCELLED, newestFirst: false, consistent: true },
  });
  const cancelled = new Set(written.items.map(({ due }) => due));
  const items: ExecutionView[] = [];
  const until = query.to === undefined ? undefined : query.to - 1;
  try {
    for await (const due of occurrencesInParts(context, head.schedule, after, until)) {
      if (cancelled.has(dueKey(due))) continue;
      if (items.length === query.limit)
        return { items, nextCursor: dueKey(Date.parse(items.at(-1)?.dueAt ?? '')) };
      items.push(plannedExecution(head, dueKey(due), now));
    }
  } catch (error) {
    if (!(error instanceof SearchEnded)) throw error;
    // the next page goes on with the search
    return { items, nextCursor: dueKey(error.searchedUntil) };
  }
  return { items };
}
