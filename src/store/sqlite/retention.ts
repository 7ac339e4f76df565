// Retention stands for DynamoDB's TTL: it deletes expired rows, a few at a time. SQLite uses freed pages again. So the file
// stops growing when as many rows expire as are written.
import type { DatabaseSync } from 'node:sqlite';
import { minuteOf } from '../../domain/executions/slots.ts';
import { seconds } from '../items.ts';
import type { Value } from './statements.ts';

/** A step takes about 4 ms. */
const ROWS_PER_STEP = 250;
/** Settled slots are not read again. The day is a margin for wrong clocks. */
const SETTLED_KEPT_MINUTES = 1_440;
/** With each head go its definitions and changes. */
const HEADS_PER_STEP = 50;

interface Expiry {
  readonly sql: string;
  /** Default `ROWS_PER_STEP`. */
  readonly limit?: number;
  values(now: number): Value[];
}

const byExpiresAt = (table: string, ...key: string[]): Expiry => ({
  sql: `DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE expiresAt < ? ORDER BY expiresAt LIMIT ${ROWS_PER_STEP})`,
  values: (now) => [seconds(now)],
});

/** A message that waits for delivery never expires, however long the server was off. A dead letter has a reason. */
const DEAD_LETTERS: Expiry = {
  sql: `DELETE FROM messages WHERE id IN (
    SELECT id FROM messages WHERE expiresAt < ? AND reason IS NOT NULL ORDER BY expiresAt LIMIT ${ROWS_PER_STEP})`,
  values: (now) => [seconds(now)],
};

/** The minute up to which every slot is settled: all that was due before has a row that has ended. */
const SETTLED = 'ifnull((SELECT min(settledUntil) FROM shards), 0)';

/** A job stays while it has executions, and while its last occurrence may not have run yet, however long the server was off. */
const HEADS: Expiry = {
  sql: `DELETE FROM heads WHERE rowid IN (
    SELECT rowid FROM heads WHERE expiresAt < min(?, ${SETTLED} * 60)
      AND NOT EXISTS (SELECT 1 FROM executions WHERE executions.jobId = heads.jobId)
    ORDER BY expiresAt LIMIT ${HEADS_PER_STEP})`,
  limit: HEADS_PER_STEP,
  values: (now) => [seconds(now)],
};

const EXPIRIES: readonly Expiry[] = [
  // a slot that is not settled yet is never deleted: its entries are the only trace of what is due in it
  {
    sql: `DELETE FROM timetable WHERE (minute, shard, key) IN (
      SELECT minute, shard, key FROM timetable
      WHERE minute < min(?, ${SETTLED}) - ${SETTLED_KEPT_MINUTES}
      ORDER BY minute, shard, key LIMIT ${ROWS_PER_STEP})`,
    values: (now) => [minuteOf(now)],
  },
  byExpiresAt('executions', 'rowid'),
  HEADS,
  byExpiresAt('notices', 'jobId', 'event'),
  byExpiresAt('quotas', 'userId', 'quota'),
  byExpiresAt('workers', 'workerId'),
  byExpiresAt('operations', 'rowid'),
  byExpiresAt('seats', 'owner', 'key', 'n'),
  DEAD_LETTERS,
];

export interface Retention {
  /** Starts a new round over all tables. Rows that have expired by `now` are deleted. */
  begin(now: number): void;
  /** One step. The answer is the number of deleted rows. Undefined: the round is over. */
  step(): number | undefined;
}

export function createRetention(db: DatabaseSync): Retention {
  let left: { expiry: Expiry; values: Value[] }[] = [];
  return {
    begin(now) {
      left = EXPIRIES.map((expiry) => ({ expiry, values: expiry.values(now) }));
    },
    step() {
      const next = left[0];
      if (!next) return undefined;
      const deleted = Number(db.prepare(next.expiry.sql).run(...next.values).changes);
      if (deleted < (next.expiry.limit ?? ROWS_PER_STEP)) left.shift();
      return deleted;
    },
  };
}
