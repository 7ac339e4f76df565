// The start of the process that owns the database file. The lock of the data folder proves that no earlier process lives. So
// leases of shards and operations, rows of workers and receipts of messages are released.
import type { DatabaseSync } from 'node:sqlite';

export interface Boot {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Number of starts on record. */
const KEPT = 100;

/** One transaction. A row names the boot of its claim, so rows need no write. */
export function beginBoot(db: DatabaseSync, { id, at }: Boot): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    db.prepare('INSERT INTO boots (bootId, startedAt) VALUES (?, ?)').run(id, at);
    db.prepare(
      'DELETE FROM boots WHERE bootId NOT IN (SELECT bootId FROM boots ORDER BY startedAt DESC, bootId LIMIT ?)',
    ).run(KEPT);
    db.prepare(
      'UPDATE messages SET visibleAt = min(visibleAt, ?), receipt = NULL WHERE receipt IS NOT NULL',
    ).run(at);
    db.exec(
      "UPDATE operations SET record = json_set(record, '$.leaseUntil', 0) WHERE json_extract(record, '$.leaseUntil') > 0",
    );
    db.exec('UPDATE shards SET leaseUntil = 0; DELETE FROM workers');
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
