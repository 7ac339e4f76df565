// Connections to the database file: who may read it, and how far a commit goes before it counts.
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { faultOf, StoreFault } from './faults.ts';

/** A database without a file, for tests: one connection, gone when it is closed. */
export const IN_MEMORY = ':memory:';

/** How long a connection waits for another program's lock before it gives up with SQLITE_BUSY. */
const WRITER_WAITS_MS = 5_000;
/** The thread that reads serves everything else too. */
const READER_WAITS_MS = 250;

const WRITER_CACHE_KB = 32_768;
const READER_CACHE_KB = 8_192;
/** The -wal file is cut back to this size when it is started again. */
const LARGEST_IDLE_WAL = 32 * 1024 * 1024;

/**
 * Makes the folder (0700) and an empty file (0600) if they are missing, and takes rights away that others have. SQLite
 * gives -wal and -shm the mode of the file.
 */
export function secureFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
    for (const [path, mode] of [
      [dirname(file), 0o700],
      [file, 0o600],
    ] as const)
      if ((statSync(path).mode & 0o777 & ~mode) !== 0) chmodSync(path, mode);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') throw new StoreFault('readOnly', file);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new StoreFault('full', file);
    throw new StoreFault('io', file, code);
  }
}

/**
 * `synchronous = FULL`: a commit returns when its frames are on the disk (fsync). On macOS fsync leaves them in the
 * drive's cache, so F_FULLFSYNC is asked for. Checkpoints are the writer's (checkpoints.ts), after its answers.
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
      PRAGMA journal_size_limit = ${LARGEST_IDLE_WAL};
      PRAGMA cache_size = -${WRITER_CACHE_KB};
    `);
    return db;
  });
}

/** Sees what is committed when a statement begins. Cannot write. */
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
