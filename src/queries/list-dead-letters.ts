// Dead letters: failed executions that await a decision. src/jobs/redrive.ts runs them again.

import { dueBound } from '../domain/executions/ids.ts';
import type { Row } from '../domain/executions/row.ts';
import type { Principal } from '../domain/principal.ts';
import type { ExecutionView } from '../domain/views/resource-schemas.ts';
import { executionOfRow, withOwner } from '../domain/views/views.ts';
import { requireOwner } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import type { FailedKey } from '../store/store.ts';
import { filteredPage, type Listed } from './filtered-page.ts';
import { bytesOfKeyedRow, type KeyedRow, withRows } from './list-executions.ts';

export interface DeadLettersQuery {
  readonly jobId?: string;
  /** The key of a group of `groupDeadLetters` by error. */
  readonly errorKey?: string;
  /** The user whose dead letters are listed. Default: the caller, and all users for an operator. */
  readonly owner?: string;
  /** The earliest due time, inclusive. Epoch milliseconds. */
  readonly from?: number;
  /** The latest due time, exclusive. Epoch milliseconds. */
  readonly to?: number;
  readonly limit: number;
  readonly cursor?: string;
}

/**
 * A user's dead letters, newest first. For an operator without `owner`, those of all users, in no order. About 3 RRU for 100
 * keys, and 0.5 RRU per row.
 */
export async function listDeadLetters(
  context: Context,
  who: Principal,
  query: DeadLettersQuery,
): Promise<Listed<ExecutionView>> {
  const { store } = context;
  const owner = requireOwner(who, query.owner);
  const isOfAll = who.operator && query.owner === undefined;
  const { items, nextCursor } = await filteredPage<KeyedRow<FailedKey>, FailedKey>(query, {
    read: (limit, cursor) =>
      isOfAll
        ? store.listAllFailedKeys({ limit, cursor })
        : store.listFailedKeys(owner, { ...rangeOf(query), limit, cursor }),
    load: (keys) => withRowsOfDeadLetters(context, keys, query),
    matches: ({ row }) => row?.status === 'FAILED' && !row.dismissed && matchesQuery(row, query),
    cursorOf: ({ key }) => key.cursor,
    bytesOf: bytesOfKeyedRow,
  });
  return {
    items: items.flatMap(({ row }) => (row ? withOwner(who, executionOfRow(row), row.userId) : [])),
    nextCursor,
  };
}

/**
 * The rows of dismissed executions, of other jobs and of other errors are not read. Their keys stay in the page, so that the
 * number of reads is bounded.
 */
async function withRowsOfDeadLetters(
  context: Context,
  keys: readonly FailedKey[],
  { jobId, errorKey }: DeadLettersQuery,
): Promise<KeyedRow<FailedKey>[]> {
  const isListed = (key: FailedKey): boolean =>
    !key.dismissed &&
    (jobId === undefined || key.jobId === jobId) &&
    (errorKey === undefined || key.errorKey === errorKey);
  const read = await withRows(context, keys.filter(isListed));
  const rows = new Map(read.map(({ key, row }) => [key, row]));
  return keys.map((key) => ({ key, row: rows.get(key) }));
}

const rangeOf = ({ from, to }: Pick<DeadLettersQuery, 'from' | 'to'>) => ({
  ...(from !== undefined && { from: dueBound(from) }),
  ...(to !== undefined && { to: dueBound(to) }),
});

const matchesQuery = (row: Row, query: DeadLettersQuery): boolean => {
  const { from = '', to } = rangeOf(query);
  return row.due >= from && (to === undefined || row.due < to);
};
