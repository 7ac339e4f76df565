// Dead letters: failed executions that await a decision. Redrive is that decision: they run again, with fresh attempts.

import { forEachLimit } from '../concurrency/map-limit.ts';
import { Conflict, NotFound } from '../domain/errors.ts';
import { dueBound, executionId, parseExecutionId } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Principal } from '../domain/principal.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow } from '../domain/views/views.ts';
import { requireJob } from '../jobs/access.ts';
import { retryExecution } from '../jobs/manual-runs.ts';
import type { Context } from '../scheduling/context.ts';
import type { ExecutionKey, FailedKey } from '../store/store.ts';
import { filteredPage, type Listed } from './filtered-page.ts';
import { type KeyedRow, withRows } from './list-executions.ts';

export interface DeadLettersQuery {
  readonly jobId?: string;
  /** Due at or after. */
  readonly from?: number;
  /** Due before. */
  readonly to?: number;
  readonly limit: number;
  readonly cursor?: string;
}

/** A user's own, newest first; operators: everybody's, in no order. About 3 RRU for 100 keys, and 0.5 per row. */
export async function listDeadLetters(
  context: Context,
  who: Principal,
  query: DeadLettersQuery,
): Promise<Listed<ExecutionView>> {
  const { store } = context;
  const { items, nextCursor } = await filteredPage<KeyedRow<FailedKey>>(
    query,
    ({ row }) => row?.status === 'FAILED' && asked(row, query),
    ({ key }) => key.cursor,
    async (limit, cursor) => {
      const page = { limit, cursor };
      const keys = await (who.operator
        ? store.listAllFailedKeys(page)
        : store.listFailedKeys(who.userId, { ...rangeOf(query), ...page }));
      return withRows(context, keys);
    },
  );
  return { items: items.flatMap(({ row }) => (row ? executionOfRow(row) : [])), nextCursor };
}

const rangeOf = ({ from, to }: Pick<DeadLettersQuery, 'from' | 'to'>) => ({
  ...(from !== undefined && { from: dueBound(from) }),
  ...(to !== undefined && { to: dueBound(to) }),
});

const asked = (row: Row, query: DeadLettersQuery): boolean => {
  const { from = '', to } = rangeOf(query);
  return (
    (query.jobId === undefined || row.jobId === query.jobId) &&
    row.due >= from &&
    (to === undefined || row.due < to)
  );
};

/** How many run again at the same time: each is some five calls. */
const AT_ONCE = 16;

/** All of them must be there (404 else); those that are not failed, or no longer, are passed over. */
export async function redriveByIds(
  context: Context,
  who: Principal,
  ids: readonly string[],
): Promise<{ redriven: number }> {
  const keys = [...new Set(ids)].map((id) => {
    const key = parseExecutionId(id);
    if (!key) throw new NotFound('execution', id);
    return key;
  });
  for (const jobId of new Set(keys.map((key) => key.jobId))) {
    await requireJob(context, who, jobId).catch((error: unknown) => {
      const first = keys.find((key) => key.jobId === jobId);
      throw error instanceof NotFound && first
        ? new NotFound('execution', executionId(jobId, first.due))
        : error;
    });
  }
  const rows = await context.store.readRows(keys, { consistent: true });
  const there = new Set(rows.map(({ jobId, due }) => executionId(jobId, due)));
  for (const { jobId, due } of keys) {
    const id = executionId(jobId, due);
    if (!there.has(id)) throw new NotFound('execution', id);
  }
  return { redriven: await redrive(context, who, rows) };
}

/** The newest `most` failed ones of a job that are due in the range. */
export async function redriveOfJob(
  context: Context,
  who: Principal,
  query: { readonly jobId: string; readonly from?: number; readonly to?: number },
  most: number,
): Promise<{ redriven: number }> {
  const head = await requireJob(context, who, query.jobId);
  if (head.status === 'cancelled')
    throw new Conflict(`job ${head.jobId} is cancelled: nothing of it starts again`);
  let redriven = 0;
  let cursor: string | undefined;
  do {
    const limit = Math.min(100, most - redriven);
    const page = await context.store.listFailedKeys(head.userId, { ...rangeOf(query), limit, cursor });
    const keys = page.items.filter(({ jobId }) => jobId === query.jobId);
    redriven += await redrive(context, who, await context.store.readRows(keys, { consistent: true }));
    cursor = page.next;
  } while (cursor && redriven < most);
  return { redriven };
}

async function redrive(
  context: Context,
  who: Principal,
  rows: readonly (ExecutionKey & Pick<Row, 'status'>)[],
): Promise<number> {
  let redriven = 0;
  const failed = rows.filter(({ status }) => status === 'FAILED');
  await forEachLimit(failed, AT_ONCE, async ({ jobId, due }) => {
    try {
      await retryExecution(context, who, executionId(jobId, due));
      redriven++;
    } catch (error) {
      // somebody else was faster, or the job was cancelled
      if (!(error instanceof Conflict)) throw error;
    }
  });
  return redriven;
}
