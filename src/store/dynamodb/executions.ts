// The ledger of executions. A row is inserted once. A replacement compares the status and the number that were seen.

import type { DueKey } from '../../domain/executions/ids.ts';
import type { Progress } from '../../domain/executions/progress.ts';
import { isTerminal, type Row, type RowSeen } from '../../domain/executions/row.ts';
import {
  DUE,
  decodeCursor,
  encodeCursor,
  FAILED_AND_OWNER,
  failedRowCursor,
  TIME_AND_JOB,
  userRowCursor,
} from '../cursors.ts';
import type { Item } from '../items.ts';
import {
  failureFromItem,
  failureToItem,
  progressToItem,
  rowChangeToItem,
  rowFromItem,
  rowToItem,
} from '../items.ts';
import type {
  ExecutionKey,
  Extended,
  FailedKey,
  ListOptions,
  ListRowsOptions,
  Page,
  ReadOptions,
} from '../store.ts';
import { newestFirst, ownersOf } from '../user-index.ts';
import type { Database } from './database.ts';
import type { On } from './item-calls.ts';
import { readRange } from './ranges.ts';

const table = 'executions';

/** False if it exists. 1 WRU below 1 KB, 1 for the index, and 1 for the index of failed rows if it is FAILED. */
export async function insertRow(db: Database, retentionMs: number, row: Row): Promise<boolean> {
  await db.indexPartitions.record();
  // nothing waits for a row that is not RUNNING
  const linger = row.status !== 'RUNNING';
  return db.insert(
    { operation: linger ? 'insertRow' : 'openRow', table, linger },
    { key: keyOf(row), item: rowToItem(row, retentionMs, db.indexPartitions.written) },
  );
}

/** 1 WRU below 1 KB, and 1 more if the row is or was FAILED. */
export async function updateRow(
  db: Database,
  retentionMs: number,
  seen: RowSeen,
  row: Row,
): Promise<boolean> {
  await db.indexPartitions.record();
  const { written } = db.indexPartitions;
  const where = seenOf(seen);
  if (!isTerminal(seen.status)) {
    const linger = row.status !== 'RUNNING';
    const on: On = { operation: linger ? 'updateRow' : 'openRow', table, linger };
    return db.change(on, { key: keyOf(row), change: rowChangeToItem(row, retentionMs, written), where });
  }
  // a put, so that no attribute of the old row stays
  const names = Object.keys(where);
  return db.put(
    { operation: 'updateRow', table },
    {
      Item: rowToItem(row, retentionMs, written),
      ConditionExpression: names.map((name) => `#${name} = :${name}`).join(' AND '),
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, where[name]])),
    },
  );
}

const keyOf = ({ jobId, due }: ExecutionKey) => ({ jobId, due });

const seenOf = ({ status, number, leaseUntil }: RowSeen): Item => ({
  ...{ status, number },
  ...(leaseUntil !== undefined && { leaseUntil }),
});

/** Undefined if the row has another number or status, or a later lease. 1 WRU below 1 KB. No index changes. */
export async function extendLease(
  db: Database,
  key: ExecutionKey,
  number: number,
  leaseUntil: number,
  progress: Progress | undefined,
): Promise<Extended | undefined> {
  const updated = await db.update(
    { operation: 'extendLease', table },
    {
      Key: keyOf(key),
      UpdateExpression: `SET leaseUntil = :leaseUntil${progress ? ', progress = :progress' : ''}`,
      ConditionExpression: `${IS_RUNNING} AND leaseUntil < :leaseUntil`,
      ExpressionAttributeNames: RUNNING_NAMES,
      ExpressionAttributeValues: {
        ...runningValues(number),
        ':leaseUntil': leaseUntil,
        ...(progress && { ':progress': progressToItem(progress) }),
      },
      ReturnValues: 'ALL_NEW',
    },
  );
  return updated && { cancelRequested: updated.cancelRequested === true };
}

const IS_RUNNING = '#status = :running AND #number = :number';
const RUNNING_NAMES = { '#status': 'status', '#number': 'number' };
const runningValues = (number: number) => ({ ':running': 'RUNNING', ':number': number });

/** False if the row has another number or status. 1 WRU below 1 KB. No index changes. */
export async function requestCancel(db: Database, key: ExecutionKey, number: number): Promise<boolean> {
  const updated = await db.update(
    { operation: 'requestCancel', table },
    {
      Key: keyOf(key),
      UpdateExpression: 'SET cancelRequested = :yes',
      ConditionExpression: IS_RUNNING,
      ExpressionAttributeNames: RUNNING_NAMES,
      ExpressionAttributeValues: { ...runningValues(number), ':yes': true },
    },
  );
  return updated !== undefined;
}

/** False if status or number are not as seen. 1 WRU below 1 KB. */
export const markNotified = (db: Database, jobId: string, due: DueKey, seen: RowSeen): Promise<boolean> =>
  db.change(
    { operation: 'markNotified', table },
    { key: { jobId, due }, change: { told: true }, where: seenOf(seen) },
  );

/** False if it is not FAILED or has another number. 1 WRU below 1 KB, and 1 for the index of failed rows. */
export const dismissRow = (db: Database, row: Row): Promise<boolean> =>
  db.change(
    { operation: 'dismissRow', table },
    {
      key: keyOf(row),
      change: { errorKey: failureToItem({ ...row, dismissed: true }) },
      where: seenOf({ status: 'FAILED', number: row.number }),
    },
  );

/** 0.5 RRU per 4 KB, or 1 if consistent. */
export async function readRow(
  db: Database,
  jobId: string,
  due: DueKey,
  options: ReadOptions,
): Promise<Row | undefined> {
  const item = await db.get({ operation: 'readRow', table }, { jobId, due }, options.consistent);
  return item && rowFromItem(item);
}

/** In no order. 0.5 RRU per 4 KB each, or 1 if consistent. One request per 100 rows. */
export async function readRows(
  db: Database,
  keys: readonly ExecutionKey[],
  options: ReadOptions,
): Promise<Row[]> {
  const distinct = new Map(keys.map(({ jobId, due }) => [`${jobId}#${due}`, { jobId, due }]));
  const items = await db.getAll({ operation: 'readRows', table }, [...distinct.values()], options.consistent);
  return items.map(rowFromItem);
}

/** The rows of one job. 0.5 RRU per 4 KB, or 1 if consistent. A page ends at 1 MB, so it may have fewer than `limit` rows. */
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

interface KeyRange {
  readonly from?: DueKey;
  readonly to?: DueKey;
}

/** The keys of a user's rows, from the index. Eventually consistent. About 3 RRU for 100 keys in 4 partitions. */
export async function listRowKeys(
  db: Database,
  userId: string,
  options: ListOptions & KeyRange,
): Promise<Page<ExecutionKey>> {
  const on = { operation: 'listRowKeys', table } as const;
  const { items, next } = await itemsOfUser(db, on, BY_USER, userId, options);
  return { items: items.map(keyFromItem), next };
}

/** The FAILED rows of a user, from their own index. It costs as much as `listRowKeys`. */
export async function listFailedKeys(
  db: Database,
  userId: string,
  options: ListOptions & KeyRange,
): Promise<Page<FailedKey>> {
  const on = { operation: 'listFailedKeys', table } as const;
  const { items, next } = await itemsOfUser(db, on, FAILED, userId, options);
  return { items: items.map((item) => failedFromItem(item, userRowCursor(keyFromItem(item)))), next };
}

const BY_USER = { index: 'byUser', partitionKey: 'owner' };
const FAILED = { index: 'failed', partitionKey: 'failedOwner' };

async function itemsOfUser(
  db: Database,
  on: On,
  keys: { index: string; partitionKey: string },
  userId: string,
  { from, to, cursor, limit }: ListOptions & KeyRange,
): Promise<Page<Item>> {
  const start = lesser(decodeCursor(cursor, TIME_AND_JOB), to);
  const owners = ownersOf(userId, await db.indexPartitions.toRead());
  const { items, more } = await newestFirst(owners, start, limit, async (partition, before, count) => {
    const range = {
      ...keys,
      partition,
      sortKey: 'dueKey',
      from,
      before,
      newestFirst: true,
      consistent: false,
    };
    const page = await readRange(db, on, range, count);
    return {
      items: page.items.map((item) => ({ sortKey: String(item.dueKey), value: item })),
      more: page.more,
    };
  });
  const last = items.at(-1);
  return { items: items.map((i) => i.value), next: more && last ? encodeCursor(last.sortKey) : undefined };
}

/** The FAILED rows of all users, in no order: a scan of their index. About 1 RRU for 50 keys. */
export async function listAllFailedKeys(
  db: Database,
  { limit, cursor }: ListOptions,
): Promise<Page<FailedKey>> {
  const { items, last } = await db.scan(
    { operation: 'listAllFailedKeys', table },
    { IndexName: FAILED.index, Limit: limit, ExclusiveStartKey: startOfScan(cursor) },
  );
  const cursorOf = (item: Item) => failedRowCursor(keyFromItem(item), String(item.failedOwner));
  return { items: items.map((item) => failedFromItem(item, cursorOf(item))), next: last && cursorOf(last) };
}

function startOfScan(cursor: string | undefined): Item | undefined {
  const text = decodeCursor(cursor, FAILED_AND_OWNER);
  if (text === undefined) return undefined;
  const at = text.indexOf('@');
  const [dueKey, failedOwner] = [text.slice(0, at), text.slice(at + 1)];
  const [due, jobId] = dueKey.split('#');
  return { failedOwner, dueKey, due, jobId };
}

const keyFromItem = (item: Item): ExecutionKey => ({ jobId: String(item.jobId), due: String(item.due) });

const failedFromItem = (item: Item, cursor: string): FailedKey => ({
  ...keyFromItem(item),
  ...failureFromItem(item.errorKey),
  cursor,
});

const lesser = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;
