// The lock of a data folder: an open SQLite transaction on a file of the folder. The kernel releases it however the process
// ends, on every platform. It also works between containers that share the folder.
import { chmodSync, closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from './start-error.ts';

export interface FolderLock {
  release(): void;
}

/** A killed process may keep the lock for an instant, and `npm run worker` takes it briefly to test whether it is free. */
const LOCK_TIMEOUT_MS = 1_000;
/** SQLITE_BUSY and SQLITE_LOCKED: another connection has locked the file. */
const LOCKED = [5, 6];

/** Keeps the connections alive. The garbage collector would close an unreferenced one and release its lock. */
const held = new Set<DatabaseSync>();

const REMEDY =
  'Make the data folder writable for this user, free some disk space, or set PUNCTUAL_DATA to another folder.';
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const lockFile = (folder: string): string => join(folder, 'lock.db');
const ownerFile = (folder: string): string => join(folder, 'lock.txt');

/** `owner` is the name in the error message of a second process, such as "process 123 (npm start)". */
export function lockFolder(folder: string, owner: string): FolderLock {
  const db = take(folder, LOCK_TIMEOUT_MS);
  if (!db) {
    throw new StartError(
      `the data folder ${folder} is in use by ${readOwner(folder)}. Stop that process, or set PUNCTUAL_DATA to another folder.`,
    );
  }
  writeOwner(folder, owner);
  held.add(db);
  return {
    release() {
      held.delete(db);
      db.close();
    },
  };
}

/** The `owner` of the process that has locked the folder. Undefined if no process has, or if there is no such folder. */
export function holderOf(folder: string): string | undefined {
  if (!existsSync(lockFile(folder))) return undefined;
  const db = take(folder, 0);
  db?.close();
  return db ? undefined : readOwner(folder);
}

/** Undefined if another process has the lock. */
function take(folder: string, waitMs: number): DatabaseSync | undefined {
  const file = lockFile(folder);
  let db: DatabaseSync | undefined;
  try {
    makePrivateFile(file);
    db = new DatabaseSync(file, { timeout: waitMs });
    db.exec('BEGIN EXCLUSIVE');
    // on a read-only file BEGIN EXCLUSIVE succeeds but locks nothing; the write below fails instead
    db.exec('PRAGMA user_version = 1');
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof Error && 'errcode' in error && LOCKED.includes(Number(error.errcode) & 0xff))
      return undefined;
    throw new StartError(`${file} cannot be locked (${messageOf(error)}). ${REMEDY}`);
  }
}

/**
 * SQLite would make the file with the mode of the umask. A file that exists is not opened here: the kernel releases all locks of this
 * process on a file when the process closes any of its handles.
 */
function makePrivateFile(file: string): void {
  try {
    if (existsSync(file)) chmodSync(file, 0o600);
    else closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    // another process was faster
    if (!existsSync(file)) throw error;
  }
}

function writeOwner(folder: string, owner: string): void {
  const file = ownerFile(folder);
  try {
    writeFileSync(file, owner, { mode: 0o600 });
  } catch (error) {
    throw new StartError(`${file} cannot be written (${messageOf(error)}). ${REMEDY}`);
  }
}

function readOwner(folder: string): string {
  try {
    return readFileSync(ownerFile(folder), 'utf8');
  } catch {
    return 'another process';
  }
}
