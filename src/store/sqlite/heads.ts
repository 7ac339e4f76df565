// The heads of jobs. Every write is a compare-and-set on the stamp.
import type { Head, HeadChange } from '../../domain/jobs/job.ts';
import { decodeCursor, encodeCursor, TIME_AND_JOB } from '../cursors.ts';
import { createdAtOf, headChangeToItem, headToItem, holdFromItem, specFrom } from '../items.ts';
import type { HeadSummary, JobsStore } from '../store.ts';
import { changing, type Rank, type Reader, type Statement, type Value, type Writer } from './statements.ts';
import { isOne, orNull } from './values.ts';

type Heads = Pick<JobsStore, 'insertHead' | 'readHead' | 'readHeads' | 'updateHead' | 'listHeads'>;

const OF_SUMMARY = ['jobId', 'userId', 'createdKey', 'spec'] as const;
const OF_HOLD = ['hold', 'holder', 'leaseUntil', 'progress'] as const;
const OF_RUNS = ['stamp', ...OF_HOLD, 'rowsUntil', 'note', 'coveredUntil'] as const;
const COLUMNS = [...OF_SUMMARY, ...OF_RUNS] as const;

const INSERT = changing(
  `INSERT INTO heads (${COLUMNS}) VALUES (${COLUMNS.map(() => '?')}) ON CONFLICT DO NOTHING`,
);
const READ = `SELECT ${COLUMNS} FROM heads WHERE jobId = ?`;
const READ_MANY = `SELECT ${COLUMNS} FROM heads WHERE jobId IN (SELECT value FROM json_each(?))`;
const LIST = `SELECT ${OF_SUMMARY} FROM heads WHERE userId = ? AND createdKey < ? ORDER BY createdKey DESC LIMIT ?`;
/** Greater than every `createdKey`, because these begin with a digit. */
const AFTER_ALL = '~';

/** One UPDATE statement for each set of columns that changes have named. */
const updates = new Map<string, Statement>();

function updateOf(names: readonly string[]): Statement {
  const key = names.join();
  let statement = updates.get(key);
  if (!statement) {
    const set = names.map((name) => `${name} = ?`);
    statement = changing(`UPDATE heads SET ${set} WHERE jobId = ? AND stamp = ?`);
    updates.set(key, statement);
  }
  return statement;
}

/** The end of a run completes a one-time job. A change of the spec comes from a person. All else leads to a start. */
function rankOf({ status }: HeadChange, names: readonly string[]): Rank {
  if (status === 'completed' || status === 'failed') return 'record';
  return names.includes('spec') ? 'person' : 'start';
}

export function headOperations(reader: Reader, writer: Writer): Heads {
  return {
    async insertHead(head) {
      const item = { ...headToItem(head), userId: head.userId };
      const values = COLUMNS.map((name) => orNull((item as Record<string, unknown>)[name]));
      return isOne(await writer.write(INSERT, values, 'person', head.userId));
    },
    async readHead(jobId) {
      const row = reader.one(READ, jobId);
      return row && headOf(row);
    },
    async readHeads(jobIds) {
      if (jobIds.length === 0) return [];
      return reader.all(READ_MANY, JSON.stringify([...new Set(jobIds)])).map(headOf);
    },
    async updateHead(seen, change) {
      const item = headChangeToItem(seen, change);
      const names = Object.keys(item);
      const values = names.map((name) => orNull(item[name]));
      values.push(seen.jobId, seen.stamp);
      return isOne(await writer.write(updateOf(names), values, rankOf(change, names), seen.userId));
    },
    async listHeads(userId, { limit, cursor }) {
      const before = decodeCursor(cursor, TIME_AND_JOB) ?? AFTER_ALL;
      const rows = reader.all(LIST, userId, before, limit + 1);
      const last = rows[limit - 1];
      return {
        items: rows.slice(0, limit).map(summaryOf),
        next: rows.length > limit && last ? encodeCursor(String(last[2])) : undefined,
      };
    },
  };
}

const summaryOf = ([jobId, userId, createdKey, spec]: Value[]): HeadSummary =>
  Object.assign(specFrom(spec), {
    jobId: String(jobId),
    userId: String(userId),
    createdAt: createdAtOf(String(createdKey)),
  });

function headOf(row: Value[]): Head {
  const [, , , , stamp, hold, holder, leaseUntil, progress, rowsUntil, note, coveredUntil] = row;
  return Object.assign(
    summaryOf(row),
    { stamp: String(stamp) },
    hold !== null && { hold: holdFromItem({ hold, holder, leaseUntil, progress }) },
    rowsUntil !== null && { rowsUntil: String(rowsUntil) },
    note !== null && { note: JSON.parse(String(note)) },
    coveredUntil !== null && { coveredUntil: String(coveredUntil) },
  );
}
