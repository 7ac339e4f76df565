// What DynamoDB's TTL does: deletes what has expired, a few rows at a time. Freed pages are used again, so the file stops
// growing when as much expires as is written.
import type { DatabaseSync } from 'node:sqlite';
import { minuteOf } from '../../domain/slots.ts';
import { seconds } from '../items.ts';
import type { Value } from './statements.ts';

/** Some 4 ms of work. */
const ROWS_PER_STEP = 250;
/** Nobody reads a slot that is settled. A day is for clocks that are wrong and for people who look. */
const SETTLED_KEPT_MINUTES = 1_440;
/** A slot that was not settled (nobody was there) is kept as long as on DynamoDB. */
const SLOT_KEPT_MINUTES = 31 * 1_440;

interface Expiry {
  readonly sql: string;
  values(now: number): Value[];
}

const byExpiresAt = (table: string, ...key: string[]): Expiry => ({
  sql: `DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE expiresAt < ? ORDER BY expiresAt LIMIT ${ROWS_PER_STEP})`,
  values: (now) => [seconds(now)],
});

const EXPIRIES: readonly Expiry[] = [
  {
    sql: `DELETE FROM timetable WHERE (minute, shard, key) IN (
      SELECT minute, shard, key FROM timetable
      WHERE minute < max(?, min(?, ifnull((SELECT min(settledUntil) FROM shards), 0)) - ${SETTLED_KEPT_MINUTES})
      ORDER BY minute, shard, key LIMIT ${ROWS_PER_STEP})`,
    values: (now) => [minuteOf(now) - SLOT_KEPT_MINUTES, minuteOf(now)],
  },
  byExpiresAt('executions', 'rowid'),
  byExpiresAt('holds', 'jobId', 'due'),
  byExpiresAt('notices', 'jobId', 'event'),
  byExpiresAt('quotas', 'userId', 'quota'),
  byExpiresAt('workers', 'workerId'),
  byExpiresAt('operations', 'rowid'),
  byExpiresAt('messages', 'id'),
];

export interface Retention {
  /** Begins again with everything that has expired by `now`. */
  begin(now: number): void;
  /** One small step: how many rows it deleted, or undefined when nothing is left to do. Throws faults of the file. */
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
      if (deleted < ROWS_PER_STEP) left.shift();
      return deleted;
    },
  };
}
