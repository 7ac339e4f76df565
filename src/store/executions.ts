// The ledger: the past. A row is inserted once, or replaced on condition of the status and fence seen.
import type { Row, RowSeen } from '../domain/execution.ts';
import type { DueKey } from '../domain/ids.ts';
import { DUE, decodeCursor, encodeCursor, TIME_AND_JOB } from './cursors.ts';
import type { Database } from './database.ts';
import { rowFromItem, rowToItem } from './items.ts';
import { newestFirst } from './merge.ts';
import { readRange } from './ranges.ts';
import type { ExecutionKey, ListOptions, ListRowsOptions, Page, ReadOptions } from './store.ts';

const table = 'executions';

/** If absent. 1 WRU below 1 KB + 1 for the index. */
export function insertRow(db: Database, retentionMs: number, row: Row): Promise<boolean> {
  return db.put(
    { operation: 'insertRow', table },
    { Item: rowToItem(row, retentionMs), ConditionExpression: 'attribute_not_exists(jobId)' },
  );
}

/** A put, so nothing of the old row stays; where it does not exist the condition fails. 1 WRU below 1 KB, no index. */
export function updateRow(db: Database, retentionMs: number, seen: RowSeen, row: Row): Promise<boolean> {
  const held = seen.fence !== undefined;
  return db.put(
    { operation: 'updateRow', table },
    {
      Item: rowToItem(row, retentionMs),
      ConditionExpression: `#status = :status AND ${held ? '#fence = :fence' : 'attribute_not_exists(#fence)'}`,
      ExpressionAttributeNames: { '#status': 'status', '#fence': 'fence' },
      ExpressionAttributeValues: { ':status': seen.status, ':fence': seen.fence },
    },
  );
}

/** 0.5 RRU per 4 KB, 1 consistent. */
export async function readRow(
  db: Database,
  jobId: string,
  due: DueKey,
  options: ReadOptions,
): Promise<Row | undefined> {
  const item = await db.get(
    { operation: 'readRow', table },
    { Key: { jobId, due }, ConsistentRead: options.consistent },
  );
  return item && rowFromItem(item);
}

/** In no order. 0.5 RRU per 4 KB each, 1 consistent; one request per 100. */
export async function readRows(
  db: Database,
  keys: readonly ExecutionKey[],
  options: ReadOptions,
): Promise<Row[]> {
  const distinct = new Map(keys.map(({ jobId, due }) => [`${jobId}#${due}`, { jobId, due }]));
  const items = await db.getAll({ operation: 'readRows', table }, [...distinct.values()], options.consistent);
  return items.map(rowFromItem);
}

/** Of one job. 0.5 RRU per 4 KB of rows, 1 consistent; a page may be short of `limit` at 1 MB. */
export async function listRows(
  db: Database,
  jobId: string,
  options: ListOptions & ListRowsOptions,
): Promise<Page<Row>> {
  const { from, to, newestFirst, consistent, limit } = options;
  const seen = decodeCursor(options.cursor, DUE);
  const bounds = newestFirst ? { from, before: lesser(seen, to) } : { from, after: seen, before: to };
  const { items, more } = await readRange(
    db,
    { operation: 'listRows', table },
    { partitionKey: 'jobId', partition: jobId, sortKey: 'due', ...bounds, newestFirst, consistent },
    limit,
  );
  const rows = items.map(rowFromItem);
  const last = rows.at(-1);
  return { items: rows, next: more && last ? encodeCursor(last.due) : undefined };
}

/** Of one user, from the index: eventually consistent. 0.5 RRU per 4 KB of keys and partition (4): about 3 for 100. */
export async function listRowKeys(
  db: Database,
  userId: string,
  options: ListOptions & { from?: DueKey; to?: DueKey },
): Promise<Page<ExecutionKey>> {
  const start = lesser(decodeCursor(options.cursor, TIME_AND_JOB), options.to);
  const { items, more } = await newestFirst(userId, start, options.limit, async (owner, before, count) => {
    const page = await readRange(
      db,
      { operation: 'listRowKeys', table },
      {
        index: 'byUser',
        partitionKey: 'owner',
        partition: owner,
        sortKey: 'dueKey',
        from: options.from,
        before,
        newestFirst: true,
        consistent: false,
      },
      count,
    );
    return {
      items: page.items.map((item) => ({
        sortKey: String(item.dueKey),
        value: { jobId: String(item.jobId), due: String(item.due) },
      })),
      more: page.more,
    };
  });
  const last = items.at(-1);
  return { items: items.map((i) => i.value), next: more && last ? encodeCursor(last.sortKey) : undefined };
}

const lesser = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;
