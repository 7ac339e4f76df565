// A new start of the only process that uses the file. Whoever had leases or messages in hand is gone, so these are free.
import type { DatabaseSync } from 'node:sqlite';

export interface Boot {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Starts that are remembered. */
const KEPT = 100;

/** In one transaction. Holds name the boot that they are of, so they need no write. */
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
    db.exec('UPDATE shards SET leaseUntil = 0; DELETE FROM workers');
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
