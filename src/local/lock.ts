// One owner per data folder. The lock is an open transaction on a file of the folder. The kernel ends it however its process
// ends, on every platform, also for processes of other containers that share the folder.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from './run.ts';

export interface FolderLock {
  release(): void;
}

/** A killed process may still have the lock for an instant. `npm run worker` takes it to see whether it is free. */
const WAITS_MS = 1_000;
/** SQLite's result codes of a file that another connection has locked. */
const LOCKED = [5, 6];

/** A connection that nothing refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<DatabaseSync>();

const REMEDY =
  'Make the data folder writable for this user, free some space on its disk, or set PUNCTUAL_DATA to another folder.';
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const lockFile = (folder: string): string => join(folder, 'lock.db');
const ownerFile = (folder: string): string => join(folder, 'lock.txt');

/** `owner` is the name that a second process is told, such as "process 123 (npm start)". */
export function lockFolder(folder: string, owner: string): FolderLock {
  const db = take(folder, WAITS_MS);
  if (!db) {
    throw new StartError(
      `the data folder ${folder} is in use by ${readOwner(folder)}. Stop that one, or set PUNCTUAL_DATA to another folder.`,
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

/** The `owner` of the process that has locked the folder. Undefined: none has, or there is no such folder. */
export function holderOf(folder: string): string | undefined {
  if (!existsSync(lockFile(folder))) return undefined;
  const db = take(folder, 0);
  db?.close();
  return db ? undefined : readOwner(folder);
}

/** Undefined: another process has the lock. */
function take(folder: string, waitMs: number): DatabaseSync | undefined {
  const file = lockFile(folder);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: waitMs });
    db.exec('BEGIN EXCLUSIVE');
    // a file that cannot be written gets a read transaction without an error, which locks nobody out; a write fails
    db.exec('PRAGMA user_version = 1');
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof Error && 'errcode' in error && LOCKED.includes(Number(error.errcode) & 0xff))
      return undefined;
    throw new StartError(`${file} cannot be locked (${messageOf(error)}). ${REMEDY}`);
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
