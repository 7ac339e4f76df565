// Connections to the database file: file modes, durability, caches.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { faultOf, StoreFault } from './faults.ts';

/** The name of a database without a file. */
export const IN_MEMORY = ':memory:';

/** The writer waits this long for the lock of another program before SQLITE_BUSY. */
const WRITER_WAITS_MS = 5_000;
/** The reader waits less, because its thread also serves requests and timers. */
const READER_WAITS_MS = 250;

const WRITER_CACHE_KB = 32_768;
const READER_CACHE_KB = 8_192;
/** SQLite cuts the -wal file to this size when it begins to write it from the start. */
const MAX_IDLE_WAL = 32 * 1024 * 1024;

/**
 * Makes the folder (0700) and an empty file (0600) if they are missing. The mode of a folder that exists is left alone, because
 * it may hold other files. SQLite gives the -wal and -shm files the mode of the database file.
 */
export function secureFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
    for (const path of [file, `${file}-wal`, `${file}-shm`]) if (existsSync(path)) chmodSync(path, 0o600);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') throw new StoreFault('readOnly', file);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new StoreFault('full', file);
    throw new StoreFault('io', file, code);
  }
}

/**
 * With `synchronous = FULL` a commit returns after an fsync of the -wal file. On macOS fsync leaves data in the drive's cache,
 * so `fullfsync` makes SQLite use F_FULLFSYNC. Automatic checkpoints are off: checkpoints.ts runs them after the answers.
 * With `secure_delete` deleted bytes are overwritten with zeros, because an erasure promises that nothing is left.
 */
export function openWriter(file: string): DatabaseSync {
  return withFaults(file, () => {
    const db = new DatabaseSync(file, { timeout: WRITER_WAITS_MS });
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA fullfsync = ${process.platform === 'darwin' ? 1 : 0};
      PRAGMA checkpoint_fullfsync = ${process.platform === 'darwin' ? 1 : 0};
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = ${MAX_IDLE_WAL};
      PRAGMA cache_size = -${WRITER_CACHE_KB};
      PRAGMA secure_delete = ON;
    `);
    return db;
  });
}

/** A statement sees every commit that came before it. Writes are refused. */
export function openReader(file: string): DatabaseSync {
  return withFaults(file, () => {
    const db = new DatabaseSync(file, { timeout: READER_WAITS_MS });
    db.exec(`PRAGMA query_only = 1; PRAGMA cache_size = -${READER_CACHE_KB}`);
    return db;
  });
}

export function withFaults<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw faultOf(error, file) ?? error;
  }
}
