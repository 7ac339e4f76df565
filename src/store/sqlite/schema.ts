// The schema of the embedded database and its migrations.
//
// A field has a column of its own if a key, an index, a condition or a separate write needs it. All other fields are JSON text,
// as in the items of DynamoDB (../items.ts). So a new field of a head, a row or a notification window needs no migration.
import type { DatabaseSync } from 'node:sqlite';
import { StoreFault } from './faults.ts';

/** `PRAGMA application_id`: "Pnct". `file punctual.db` shows it. */
const APPLICATION_ID = 0x506e6374;

/**
 * One migration per version. The first turns an empty file into version 1. A published migration never changes.
 *
 * - Tables with large rows (`heads`, `executions`, `definitions`) are rowid tables: jobs that were created together share
 *   pages, and their claims dirty fewer of them. Tables with small rows are WITHOUT ROWID.
 * - An open execution has no `expiresAt`. So one index finds open rows (NULL) and expired rows.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE heads (
    jobId TEXT PRIMARY KEY NOT NULL,
    userId TEXT NOT NULL,
    createdKey TEXT NOT NULL,
    version INTEGER NOT NULL,
    spec TEXT NOT NULL,
    lockDue TEXT NOT NULL,
    lockNumber INTEGER NOT NULL,
    coveredUntil TEXT NOT NULL,
    expiresAt INTEGER
  ) STRICT;
  CREATE INDEX heads_byUser ON heads (userId, createdKey);
  CREATE INDEX heads_expiresAt ON heads (expiresAt) WHERE expiresAt IS NOT NULL;

  CREATE TABLE definitions (
    jobId TEXT NOT NULL,
    version INTEGER NOT NULL,
    params TEXT,
    notify TEXT,
    PRIMARY KEY (jobId, version)
  ) STRICT;

  CREATE TABLE timetable (
    minute INTEGER NOT NULL,
    shard INTEGER NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (minute, shard, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE executions (
    jobId TEXT NOT NULL,
    due TEXT NOT NULL,
    userId TEXT NOT NULL,
    status TEXT NOT NULL,
    number INTEGER NOT NULL,
    leaseUntil INTEGER NOT NULL,
    progress TEXT NOT NULL,
    cancelRequested INTEGER,
    told INTEGER,
    record TEXT NOT NULL,
    expiresAt INTEGER,
    errorKey TEXT,
    PRIMARY KEY (jobId, due)
  ) STRICT;
  CREATE INDEX executions_byUser ON executions (userId, due, jobId);
  CREATE INDEX executions_failed ON executions (userId, due, jobId, errorKey) WHERE status = 'FAILED';
  CREATE INDEX executions_expiresAt ON executions (expiresAt);

  CREATE TABLE checkpoints (
    jobId TEXT NOT NULL,
    due TEXT NOT NULL,
    number INTEGER NOT NULL,
    checkpoint TEXT NOT NULL,
    PRIMARY KEY (jobId, due)
  ) STRICT;

  CREATE TABLE waits (
    jobId TEXT NOT NULL,
    due TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (jobId, due)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE logLines (
    jobId TEXT NOT NULL,
    due TEXT NOT NULL,
    n INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (jobId, due, n)
  ) STRICT, WITHOUT ROWID;

  CREATE TRIGGER executions_removed AFTER DELETE ON executions BEGIN
    DELETE FROM logLines WHERE jobId = old.jobId AND due = old.due;
    DELETE FROM checkpoints WHERE jobId = old.jobId AND due = old.due;
    DELETE FROM waits WHERE jobId = old.jobId AND due = old.due;
  END;

  CREATE TABLE shards (
    shard INTEGER PRIMARY KEY NOT NULL,
    token TEXT,
    leaseUntil INTEGER NOT NULL,
    dispatchedUntil INTEGER NOT NULL,
    settledUntil INTEGER NOT NULL,
    rebuild TEXT
  ) STRICT;

  CREATE TABLE workers (
    workerId TEXT PRIMARY KEY NOT NULL,
    beatAt INTEGER NOT NULL,
    record TEXT NOT NULL,
    expiresAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE quotas (
    userId TEXT NOT NULL,
    quota TEXT NOT NULL,
    used REAL NOT NULL,
    bytes REAL NOT NULL DEFAULT 0,
    expiresAt INTEGER,
    PRIMARY KEY (userId, quota)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX quotas_expiresAt ON quotas (expiresAt) WHERE expiresAt IS NOT NULL;

  CREATE TABLE limits (
    userId TEXT PRIMARY KEY NOT NULL,
    record TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE seats (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    n INTEGER NOT NULL,
    jobId TEXT NOT NULL,
    due TEXT NOT NULL,
    number INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL,
    PRIMARY KEY (owner, key, n)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX seats_expiresAt ON seats (expiresAt);

  CREATE TABLE notices (
    jobId TEXT NOT NULL,
    event TEXT NOT NULL,
    stamp TEXT NOT NULL,
    record TEXT NOT NULL,
    expiresAt INTEGER NOT NULL,
    PRIMARY KEY (jobId, event)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX notices_expiresAt ON notices (expiresAt);

  CREATE TABLE changes (
    jobId TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (jobId, version, at)
  ) STRICT;

  CREATE TABLE names (
    userId TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    jobId TEXT NOT NULL,
    previous TEXT,
    stamp TEXT NOT NULL,
    PRIMARY KEY (userId, namespace, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TRIGGER heads_removed AFTER DELETE ON heads BEGIN
    DELETE FROM definitions WHERE jobId = old.jobId;
    DELETE FROM changes WHERE jobId = old.jobId;
    DELETE FROM notices WHERE jobId = old.jobId;
    DELETE FROM names WHERE userId = old.userId AND namespace = json_extract(old.spec, '$.namespace')
      AND name = json_extract(old.spec, '$.name') AND jobId = old.jobId;
  END;

  CREATE TABLE operations (
    id TEXT PRIMARY KEY NOT NULL,
    stamp TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    isListed INTEGER NOT NULL,
    record TEXT NOT NULL,
    expiresAt INTEGER
  ) STRICT;
  CREATE INDEX operations_listed ON operations (createdAt, id) WHERE isListed = 1;
  CREATE INDEX operations_expiresAt ON operations (expiresAt) WHERE expiresAt IS NOT NULL;

  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    body TEXT NOT NULL,
    visibleAt INTEGER NOT NULL,
    times INTEGER NOT NULL DEFAULT 0,
    receipt TEXT,
    reason TEXT,
    expiresAt INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX messages_visible ON messages (queue, visibleAt);
  CREATE INDEX messages_expiresAt ON messages (expiresAt);

  CREATE TABLE boots (
    bootId TEXT PRIMARY KEY NOT NULL,
    startedAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE numbers (
    reservedUntil INTEGER NOT NULL
  ) STRICT;
  INSERT INTO numbers VALUES (0);
  `,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

const numberOf = (db: DatabaseSync, pragma: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);

/** Throws a StoreFault for the file of another program, and for one of a newer version. */
export function refuseOtherSchema(db: DatabaseSync, file: string, newest = SCHEMA_VERSION): void {
  if (numberOf(db, 'application_id') !== APPLICATION_ID) throw new StoreFault('foreign', file);
  const found = numberOf(db, 'user_version');
  if (found > newest)
    throw new StoreFault('newer', file, `schema version ${found}, this program knows ${newest}`);
}

/** Brings the database to `SCHEMA_VERSION`, each version in a transaction of its own. Files of other programs are refused. */
export function migrate(db: DatabaseSync, file: string, migrations = MIGRATIONS): void {
  const isEmpty = numberOf(db, 'schema_version') === 0;
  if (!isEmpty) refuseOtherSchema(db, file, migrations.length);
  const found = numberOf(db, 'user_version');
  for (let version = found; version < migrations.length; version++) {
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(migrations[version] ?? '');
      db.exec(`PRAGMA user_version = ${version + 1}; PRAGMA application_id = ${APPLICATION_ID}`);
      db.exec('COMMIT');
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }
}
