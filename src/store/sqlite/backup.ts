// Copies of a database file: SQLite's online backup, and the check of a copy before it is used.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { faultOf, StoreFault } from './faults.ts';
import { openReader, withFaults } from './open.ts';
import { refuseOtherSchema } from './schema.ts';

/** Pages that are copied before other work of the process has its turn. */
const PAGES_AT_ONCE = 1_000;

export interface Copied {
  readonly jobs: number;
}

/**
 * Copies a database that a server may be writing to. `target` must not exist. It gets the commits that were done before the
 * call. SQLite begins a backup again whenever another process writes, so one read transaction keeps its view for the whole
 * copy. Until then the server's -wal file grows.
 */
export async function copyDatabase(source: string, target: string): Promise<Copied> {
  // the mode of a new file is given before anything is in it
  closeSync(openSync(target, 'wx', 0o600));
  const db = openReader(source);
  try {
    withFaults(source, () => refuseOtherSchema(db, source));
    db.exec('BEGIN');
    const jobs = countJobs(db);
    try {
      await backup(db, target, { rate: PAGES_AT_ONCE });
      makeOneFile(target);
    } catch (error) {
      throw faultOf(error, target) ?? error;
    }
    db.exec('COMMIT');
    return { jobs };
  } catch (error) {
    throw faultOf(error, source) ?? error;
  } finally {
    db.close();
  }
}

/** The copy says that it has a -wal file, like its source. It gets none, so that it can be moved as one file. */
function makeOneFile(file: string): void {
  const db = new DatabaseSync(file);
  try {
    db.exec('PRAGMA journal_mode = DELETE');
  } finally {
    db.close();
  }
  const handle = openSync(file, 'r+');
  fsyncSync(handle);
  closeSync(handle);
}

/** Throws a StoreFault if the file is not a database of this program, is newer than the program, or is damaged. */
export function checkDatabase(file: string): void {
  withFaults(file, () => {
    const db = openReader(file);
    try {
      refuseOtherSchema(db, file);
      const [found] = Object.values(db.prepare('PRAGMA integrity_check(1)').get() ?? {});
      if (found !== 'ok') throw new StoreFault('damaged', file, String(found));
    } finally {
      db.close();
    }
  });
}

const countJobs = (db: DatabaseSync): number =>
  Number(Object.values(db.prepare('SELECT count(*) FROM heads').get() ?? {})[0]);
