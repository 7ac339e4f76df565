// The executions of all jobs of a user, newest first.

import { dueBound, dueKey } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import { jsonBytes } from '../domain/jobs/stored-bytes.ts';
import type { Principal } from '../domain/principal.ts';
import { isRecurring, nextOrSearching } from '../domain/schedule/occurrences.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, plannedExecution, withOwner } from '../domain/views/views.ts';
import { requireOwner } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import { searchesOf } from '../scheduling/searches.ts';
import { headCursor, userRowCursor } from '../store/cursors.ts';
import type { ExecutionKey, HeadSummary } from '../store/store.ts';
import { filteredPage, type Listed } from './filtered-page.ts';
import { type ExecutionsQuery, matchesQuery } from './list-job-executions.ts';
import { listRunning } from './list-running.ts';

export interface AllExecutionsQuery extends ExecutionsQuery {
  readonly workerId?: string;
  /** The user whose executions are listed. Default: the caller. */
  readonly owner?: string;
}

/**
 * Lists executions with a row from the index of rows. With a status filter the cheapest source is read.
 * Failed executions have an index of their own. Running ones are in the workers' rows. Scheduled ones follow from the jobs.
 */
export async function listExecutions(
  context: Context,
  who: Principal,
  query: AllExecutionsQuery,
): Promise<Listed<ExecutionView>> {
  const owner = requireOwner(who, query.owner);
  if (query.workerId !== undefined || query.status === 'running') {
    // for a worker, operators see the executions of all users
    const isOfAll = query.workerId !== undefined && who.operator && query.owner === undefined;
    const isRunning = (execution: ExecutionView) =>
      execution.status === 'running' && matchesQuery(execution, query);
    return listRunning(context, who, { ...query, owner: isOfAll ? undefined : owner }, isRunning);
  }
  const { items, nextCursor } = await (query.status === 'scheduled' ? listScheduled : listRecorded)(
    context,
    owner,
    query,
  );
  return { items: items.map((execution) => withOwner(who, execution, owner)), nextCursor };
}

async function listRecorded(
  context: Context,
  owner: string,
  query: ExecutionsQuery,
): Promise<Listed<ExecutionView>> {
  const { store } = context;
  const range = {
    ...(query.from !== undefined && { from: dueBound(query.from) }),
    ...(query.to !== undefined && { to: dueBound(query.to) }),
  };
  const list = query.status === 'failed' ? store.listFailedKeys : store.listRowKeys;
  const { items, nextCursor } = await filteredPage<KeyedRow, ExecutionKey>(query, {
    read: (limit, cursor) => list.call(store, owner, { ...range, limit, cursor }),
    load: (keys) => withRows(context, keys),
    matches: ({ row }) => row !== undefined && matchesQuery(executionOfRow(row), query),
    cursorOf: ({ key }) => userRowCursor(key),
    bytesOf: bytesOfKeyedRow,
  });
  return { items: items.flatMap(({ row }) => (row ? executionOfRow(row) : [])), nextCursor };
}

export interface KeyedRow<Key extends ExecutionKey = ExecutionKey> {
  readonly key: Key;
  /** Undefined if the row has just been removed. */
  readonly row?: Row;
}

export const bytesOfKeyedRow = ({ row }: KeyedRow): number => (row ? jsonBytes(row) : 0);

/** Reads the rows of keys. A row that the eventually consistent read misses is read again. 0.5 RRU per row. */
export async function withRows<Key extends ExecutionKey>(
  { store }: Context,
  keys: readonly Key[],
): Promise<KeyedRow<Key>[]> {
  const text = ({ jobId, due }: ExecutionKey) => `${jobId}#${due}`;
  const found = new Map((await store.readRows(keys, { consistent: false })).map((row) => [text(row), row]));
  const missing = keys.filter((key) => !found.has(text(key)));
  if (missing.length > 0) {
    for (const row of await store.readRows(missing, { consistent: true })) found.set(text(row), row);
  }
  return keys.map((key) => ({ key, row: found.get(text(key)) }));
}

/** The next occurrence of each active job, newest job first. In this order a cursor stays valid. */
async function listScheduled(
  context: Context,
  owner: string,
  query: ExecutionsQuery,
): Promise<Listed<ExecutionView>> {
  const { store, clock } = context;
  const searches = searchesOf(context);
  const now = clock.now();
  const next = (head: HeadSummary): ExecutionView | undefined => {
    if (head.status !== 'active') return undefined;
    const after = Math.max(isRecurring(head.schedule) ? now : 0, (head.pausedUntil ?? 0) - 1);
    const due = nextOrSearching(head.schedule, after, searches);
    return typeof due !== 'number' ? undefined : plannedExecution(head, dueKey(due), now);
  };
  const planned = new Map<HeadSummary, ExecutionView>();
  const { items, nextCursor } = await filteredPage<HeadSummary>(query, {
    read: (limit, cursor) => store.listHeads(owner, { limit, cursor }),
    matches(head) {
      const execution = next(head);
      if (execution === undefined || !matchesQuery(execution, query)) return false;
      planned.set(head, execution);
      return true;
    },
    cursorOf: headCursor,
    bytesOf: (head) => jsonBytes(planned.get(head)),
  });
  return { items: items.flatMap((head) => planned.get(head) ?? []), nextCursor };
}
