// The ledger. A row is inserted once. A replacement compares the status and the number that were seen.
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
import { failureFromItem, failureToItem, progressToItem, rowFromItem, rowToItem } from '../items.ts';
import type { ClaimStore, ExecutionKey, ExecutionsStore, FailedKey, ListOptions, Page } from '../store.ts';
import { lockWrite } from './heads.ts';
import { seatWrite } from './seats.ts';
import { changing, type Reader, returning, type Value, type Write, type Writer } from './statements.ts';
import { firstRow, isOne, orNull } from './values.ts';

const COLUMNS = 'jobId, due, status, number, leaseUntil, progress, cancelRequested, told, errorKey, record';
const STATE = ['status', 'number', 'leaseUntil', 'progress', 'record', 'expiresAt', 'errorKey'] as const;
const INSERT = changing(
  `INSERT INTO executions (${STATE}, cancelRequested, told, jobId, due, userId)
   VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
);
const SET_STATE = STATE.map((name) => `${name} = ?`).join();
const WHERE_SEEN = 'WHERE jobId = ? AND due = ? AND status = ? AND number = ?';
/** A request to cancel stays, also one that came since the row was read. */
const UPDATE_OPEN = changing(
  `UPDATE executions SET ${SET_STATE}, cancelRequested = ifnull(?, cancelRequested), told = ?
   ${WHERE_SEEN} AND leaseUntil = ifnull(?, leaseUntil)`,
);
/** A retry by hand removes it. */
const UPDATE_ENDED = changing(
  `UPDATE executions SET ${SET_STATE}, cancelRequested = ?, told = ? ${WHERE_SEEN}`,
);
const EXTEND = returning(
  `UPDATE executions SET leaseUntil = ?, progress = ifnull(?, progress)
   WHERE jobId = ? AND due = ? AND status = 'RUNNING' AND number = ? AND leaseUntil < ? RETURNING cancelRequested`,
);
const REQUEST_CANCEL = changing(
  `UPDATE executions SET cancelRequested = 1 WHERE jobId = ? AND due = ? AND status = 'RUNNING' AND number = ?`,
);
const MARK_TOLD = changing(`UPDATE executions SET told = 1 ${WHERE_SEEN}`);
const DISMISS = changing(`UPDATE executions SET errorKey = ? ${WHERE_SEEN}`);
const READ = `SELECT ${COLUMNS} FROM executions WHERE jobId = ? AND due = ?`;
const READ_MANY = `SELECT ${COLUMNS} FROM executions WHERE (jobId, due) IN (
  SELECT value ->> 0, value ->> 1 FROM json_each(?))`;
// one bound in each direction: of two, an index uses one, and each page would read all rows before its cursor again
const LIST = `SELECT ${COLUMNS} FROM executions WHERE jobId = ? AND due >= ? AND due < ?`;
const LIST_UP = `${LIST} ORDER BY due LIMIT ?`;
const LIST_DOWN = `${LIST} ORDER BY due DESC LIMIT ?`;
const keysOf = (
  index: string,
  columns: string,
  where: string,
) => `SELECT ${columns} FROM executions INDEXED BY ${index}
  WHERE userId = ? AND due >= ? AND (due, jobId) < (?, ?) ${where} ORDER BY due DESC, jobId DESC LIMIT ?`;
const KEYS = keysOf('executions_byUser', 'jobId, due', '');
const FAILED_KEYS = keysOf('executions_failed', 'jobId, due, errorKey', `AND status = 'FAILED'`);
const ALL_FAILED = `SELECT jobId, due, errorKey, userId FROM executions INDEXED BY executions_failed
  WHERE status = 'FAILED' AND (userId, due, jobId) > (?, ?, ?) ORDER BY userId, due, jobId LIMIT ?`;
/** Greater than every due key, because due keys begin with a digit. */
const AFTER_ALL = '~';

export function executionOperations(
  reader: Reader,
  writer: Writer,
  retentionMs: number,
): ExecutionsStore & ClaimStore {
  function rowWrite(seen: RowSeen | undefined, row: Row): Write {
    const { jobId, due, userId } = row;
    const item = rowToItem(row, retentionMs);
    const state = STATE.map((name) => orNull(item[name]));
    const flags = [row.cancelRequested ? 1 : null, row.told ? 1 : null];
    if (!seen) return { statement: INSERT, values: [...state, ...flags, jobId, due, userId] };
    const values = [...state, ...flags, ...seenOf(jobId, due, seen)];
    return isTerminal(seen.status)
      ? { statement: UPDATE_ENDED, values }
      : { statement: UPDATE_OPEN, values: [...values, orNull(seen.leaseUntil)] };
  }
  const seenOf = (jobId: string, due: string, { status, number }: RowSeen): Value[] => [
    jobId,
    due,
    status,
    number,
  ];

  function keys(sql: string, userId: string, options: ListOptions & { from?: string; to?: string }) {
    const { from = '', to = AFTER_ALL, limit } = options;
    const [due = AFTER_ALL, jobId = ''] = decodeCursor(options.cursor, TIME_AND_JOB)?.split('#') ?? [];
    const before = due < to ? [due, jobId] : [to, ''];
    return pageOf(reader.all(sql, userId, from, ...before, limit + 1), limit);
  }

  return {
    insertRow: (row) => writer.transact([rowWrite(undefined, row)], 'record', row.userId),
    updateRow: (seen, row) =>
      writer.transact([rowWrite(seen, row)], row.status === 'RUNNING' ? 'start' : 'record', row.userId),
    async claim({ seen, row, seat, lock }) {
      const writes = [rowWrite(seen, row)];
      if (seat) writes.push(seatWrite(seat.seen, seat.seat));
      if (lock) writes.push(lockWrite(lock));
      // a claim that must not be repeated is on the disk before the task starts
      const rank = row.maxAttempts === 1 ? 'start' : 'claim';
      return (await writer.transact(writes, rank, row.userId)) ? 'done' : 'refused';
    },
    async extendLease({ jobId, due }, number, leaseUntil, progress) {
      const values = [leaseUntil, progress ? progressToItem(progress) : null, jobId, due, number, leaseUntil];
      const row = firstRow(await writer.write(EXTEND, values, 'claim', ''));
      return row && { cancelRequested: row[0] === 1 };
    },
    async requestCancel({ jobId, due }, number) {
      return isOne(await writer.write(REQUEST_CANCEL, [jobId, due, number], 'person', ''));
    },
    async markNotified(jobId, due, seen) {
      return isOne(await writer.write(MARK_TOLD, seenOf(jobId, due, seen), 'record', ''));
    },
    async dismissRow(row) {
      const key = failureToItem({ ...row, dismissed: true });
      const seen = seenOf(row.jobId, row.due, { status: 'FAILED', number: row.number });
      return isOne(await writer.write(DISMISS, [key, ...seen], 'record', row.userId));
    },
    async readRow(jobId, due) {
      const row = reader.one(READ, jobId, due);
      return row && rowOf(row);
    },
    async readRows(keys) {
      if (keys.length === 0) return [];
      const wanted = new Map(keys.map(({ jobId, due }) => [`${jobId}#${due}`, [jobId, due]]));
      return reader.all(READ_MANY, JSON.stringify([...wanted.values()])).map(rowOf);
    },
    async listRows(jobId, { from = '', to = AFTER_ALL, newestFirst, limit, cursor }) {
      const seen = decodeCursor(cursor, DUE);
      const rows = newestFirst
        ? reader.all(LIST_DOWN, jobId, from, seen !== undefined && seen < to ? seen : to, limit + 1)
        : reader.all(
            LIST_UP,
            jobId,
            seen !== undefined && seen >= from ? firstAfter(seen) : from,
            to,
            limit + 1,
          );
      const items = rows.slice(0, limit).map(rowOf);
      const last = items.at(-1);
      return { items, next: rows.length > limit && last ? encodeCursor(last.due) : undefined };
    },
    async listRowKeys(userId, options) {
      const { rows, more } = keys(KEYS, userId, options);
      const items = rows.map(keyOf);
      const last = items.at(-1);
      return { items, next: more && last ? userRowCursor(last) : undefined };
    },
    listFailedKeys: async (userId, options) =>
      failedPage(keys(FAILED_KEYS, userId, options), (row) => userRowCursor(keyOf(row))),
    async listAllFailedKeys({ limit, cursor }) {
      const found = pageOf(reader.all(ALL_FAILED, ...startOf(cursor), limit + 1), limit);
      return failedPage(found, (row) => failedRowCursor(keyOf(row), String(row[3])));
    },
  };
}

/** The first text that may be a due key after this one. A key goes on with a '-', which sorts after '!'. */
const firstAfter = (due: string): string => `${due}!`;

/** The cursor as userId, due and jobId. */
function startOf(cursor: string | undefined): [string, string, string] {
  const text = decodeCursor(cursor, FAILED_AND_OWNER);
  if (text === undefined) return ['', '', ''];
  const at = text.indexOf('@');
  const [due = '', jobId = ''] = text.slice(0, at).split('#');
  return [text.slice(at + 1), due, jobId];
}

interface Rows {
  readonly rows: Value[][];
  readonly more: boolean;
}

const pageOf = (rows: Value[][], limit: number): Rows => ({
  rows: rows.slice(0, limit),
  more: rows.length > limit,
});

const keyOf = ([jobId, due]: Value[]): ExecutionKey => ({ jobId: String(jobId), due: String(due) });

function failedPage({ rows, more }: Rows, cursorOf: (row: Value[]) => string): Page<FailedKey> {
  const items = rows.map((row) => ({
    ...keyOf(row),
    ...failureFromItem(row[2]),
    cursor: cursorOf(row),
  }));
  return { items, next: more ? items.at(-1)?.cursor : undefined };
}

const rowOf = (values: Value[]): Row => {
  const [jobId, due, status, number, leaseUntil, progress, cancelRequested, told, errorKey, record] = values;
  return rowFromItem({
    ...{ jobId, due, status, number, leaseUntil, progress, cancelRequested, told, errorKey, record },
  });
};
