// A user's executions over all jobs, newest first.

import { dueBound, dueKey } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Principal } from '../domain/principal.ts';
import { isRecurring, nextOccurrence } from '../domain/schedule/occurrences.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, plannedExecution } from '../domain/views/views.ts';
import type { Context } from '../scheduling/context.ts';
import { headCursor, userRowCursor } from '../store/cursors.ts';
import type { ExecutionKey, HeadSummary, Page } from '../store/store.ts';
import { filteredPage, type Listed } from './filtered-page.ts';
import { type ExecutionsQuery, matchesQuery } from './list-job-executions.ts';
import { listRunning } from './list-running.ts';

/**
 * What has a row, from the index; each status asks where it is cheapest: failed ones have an index of their own, running
 * ones stand in the workers' rows, scheduled ones follow from the jobs.
 */
export async function listExecutions(
  context: Context,
  who: Principal,
  query: ExecutionsQuery & { readonly workerId?: string },
): Promise<Listed<ExecutionView>> {
  if (query.workerId !== undefined || query.status === 'running') {
    // the list is the caller's own; a worker's is everybody's to those who may see it
    const whose = query.workerId === undefined ? { ...who, operator: false } : who;
    const runs = (execution: ExecutionView) =>
      execution.status === 'running' && matchesQuery(execution, query);
    return listRunning(context, whose, query, runs);
  }
  if (query.status === 'scheduled') return listScheduled(context, who, query);
  const { store } = context;
  const range = {
    ...(query.from !== undefined && { from: dueBound(query.from) }),
    ...(query.to !== undefined && { to: dueBound(query.to) }),
  };
  const list = query.status === 'failed' ? store.listFailedKeys : store.listRowKeys;
  const { items, nextCursor } = await filteredPage<KeyedRow>(
    query,
    ({ row }) => row !== undefined && matchesQuery(executionOfRow(row), query),
    ({ key }) => userRowCursor(key),
    async (limit, cursor) =>
      withRows(context, await list.call(store, who.userId, { ...range, limit, cursor })),
  );
  return { items: items.flatMap(({ row }) => (row ? executionOfRow(row) : [])), nextCursor };
}

export interface KeyedRow<Key extends ExecutionKey = ExecutionKey> {
  readonly key: Key;
  /** Absent only when it has just been removed. */
  readonly row?: Row;
}

/** 0.5 RRU per row. One that an eventually consistent read does not see yet is read again, or a page would hide it. */
export async function withRows<Key extends ExecutionKey>(
  { store }: Context,
  { items: keys, next }: Page<Key>,
): Promise<Page<KeyedRow<Key>>> {
  const text = ({ jobId, due }: ExecutionKey) => `${jobId}#${due}`;
  const found = new Map((await store.readRows(keys, { consistent: false })).map((row) => [text(row), row]));
  const missing = keys.filter((key) => !found.has(text(key)));
  if (missing.length > 0) {
    for (const row of await store.readRows(missing, { consistent: true })) found.set(text(row), row);
  }
  return { items: keys.map((key) => ({ key, row: found.get(text(key)) })), next };
}

/** The next occurrence of each active job, newest job first: an order in which a cursor stays right. */
async function listScheduled(
  { store, clock }: Context,
  { userId }: Principal,
  query: ExecutionsQuery,
): Promise<Listed<ExecutionView>> {
  const now = clock.now();
  const next = (head: HeadSummary): ExecutionView | undefined => {
    if (head.status !== 'active') return undefined;
    const due = nextOccurrence(head.schedule, isRecurring(head.schedule) ? now : 0);
    return due === undefined ? undefined : plannedExecution(head, dueKey(due), now);
  };
  const { items, nextCursor } = await filteredPage<HeadSummary>(
    query,
    (head) => {
      const execution = next(head);
      return execution !== undefined && matchesQuery(execution, query);
    },
    headCursor,
    (limit, cursor) => store.listHeads(userId, { limit, cursor }),
  );
  return { items: items.flatMap((head) => next(head) ?? []), nextCursor };
}
