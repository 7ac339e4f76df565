// The heads of jobs. Every write is conditional on the version, and a claim also on the number of the lock.
import type { Head } from '../../domain/jobs/job.ts';
import { endOfJob } from '../../domain/jobs/job-end.ts';
import { decodeCursor, encodeCursor, JOB, TIME_AND_JOB } from '../cursors.ts';
import { createdAtOf, headChangeToItem, headToItem, jobExpiry, lockNumberOf, specFrom } from '../items.ts';
import type { HeadSummary, JobsStore, LockTaking } from '../store.ts';
import { changing, type Reader, type Value, type Write, type Writer } from './statements.ts';
import { isOne, orNull } from './values.ts';

type Heads = Pick<
  JobsStore,
  | 'insertHead'
  | 'readHead'
  | 'readHeads'
  | 'updateHead'
  | 'takeLock'
  | 'keepHead'
  | 'expireBeside'
  | 'listHeads'
  | 'listAllHeads'
>;

const OF_SUMMARY = ['jobId', 'userId', 'createdKey', 'spec'] as const;
const COLUMNS = [...OF_SUMMARY, 'version', 'lockDue', 'lockNumber', 'coveredUntil'] as const;

const INSERT = changing(
  `INSERT INTO heads (${COLUMNS}, expiresAt) VALUES (${COLUMNS.map(() => '?')}, ?) ON CONFLICT DO NOTHING`,
);
const UPDATE = changing(
  'UPDATE heads SET version = ?, spec = ?, expiresAt = ? WHERE jobId = ? AND version = ?',
);
const LOCK = changing(
  `UPDATE heads SET lockDue = ?, lockNumber = ?, coveredUntil = ?
   WHERE jobId = ? AND version = ? AND lockNumber = ?`,
);
const KEEP = changing('UPDATE heads SET expiresAt = max(expiresAt, ?) WHERE jobId = ? AND version = ?');
const READ = `SELECT ${COLUMNS} FROM heads WHERE jobId = ?`;
const READ_MANY = `SELECT ${COLUMNS} FROM heads WHERE jobId IN (SELECT value FROM json_each(?))`;
const LIST = `SELECT ${OF_SUMMARY} FROM heads WHERE userId = ? AND createdKey < ? ORDER BY createdKey DESC LIMIT ?`;
const LIST_ALL = `SELECT ${OF_SUMMARY} FROM heads WHERE jobId > ? ORDER BY jobId LIMIT ?`;
/** Greater than every `createdKey`, because these begin with a digit. */
const AFTER_ALL = '~';

export function headOperations(reader: Reader, writer: Writer, retentionMs: number): Heads {
  const expiryOf = (head: Head): Value => orNull(jobExpiry(endOfJob(head), retentionMs).expiresAt);
  return {
    async insertHead(head) {
      const item: Record<string, unknown> = { ...headToItem(head), userId: head.userId };
      const values = [...COLUMNS.map((name) => orNull(item[name])), expiryOf(head)];
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
      const { version, spec } = headChangeToItem(seen, change);
      const expiresAt = expiryOf({ ...seen, ...change });
      const values = [version as number, spec as string, expiresAt, seen.jobId, seen.version];
      // the end of a run completes a one-time job, and nobody waits for that
      const rank = change.status === 'completed' || change.status === 'failed' ? 'record' : 'person';
      return isOne(await writer.write(UPDATE, values, rank, seen.userId));
    },
    takeLock: (taking) => writer.transact([lockWrite(taking)], 'start', taking.seen.userId),
    async keepHead({ jobId, version, userId }, end) {
      const values = [Number(jobExpiry(end, retentionMs).expiresAt), jobId, version];
      return isOne(await writer.write(KEEP, values, 'person', userId));
    },
    // a trigger of the schema removes what stands beside a head together with it
    expireBeside: async () => {},
    async listHeads(userId, { limit, cursor }) {
      const before = decodeCursor(cursor, TIME_AND_JOB) ?? AFTER_ALL;
      const rows = reader.all(LIST, userId, before, limit + 1);
      const last = rows[limit - 1];
      return {
        items: rows.slice(0, limit).map(summaryOf),
        next: rows.length > limit && last ? encodeCursor(String(last[2])) : undefined,
      };
    },
    async listAllHeads({ limit, cursor }) {
      const rows = reader.all(LIST_ALL, decodeCursor(cursor, JOB) ?? '', limit + 1);
      const last = rows[limit - 1];
      return {
        items: rows.slice(0, limit).map(summaryOf),
        next: rows.length > limit && last ? encodeCursor(String(last[0])) : undefined,
      };
    },
  };
}

export const lockWrite = ({ seen, lock, coveredUntil = '' }: LockTaking): Write => ({
  statement: LOCK,
  values: [lock.due, lock.number, coveredUntil, seen.jobId, seen.version, lockNumberOf(seen)],
});

const summaryOf = ([jobId, userId, createdKey, spec]: Value[]): HeadSummary =>
  Object.assign(specFrom(spec), {
    jobId: String(jobId),
    userId: String(userId),
    createdAt: createdAtOf(String(createdKey)),
  });

function headOf(row: Value[]): Head {
  const [, , , , , lockDue, lockNumber, coveredUntil] = row;
  return Object.assign(
    summaryOf(row),
    lockDue !== '' && { lock: { due: String(lockDue), number: Number(lockNumber) } },
    coveredUntil !== '' && { coveredUntil: String(coveredUntil) },
  );
}
