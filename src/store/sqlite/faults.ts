// Faults of the database file. Each message names the file and the remedy.

/**
 * After `full`, `readOnly`, `locked` and `io` later writes work again once the cause is gone. `damaged`, `foreign`, `newer`
 * and `stopped` need a person.
 */
export type FaultKind = 'full' | 'readOnly' | 'locked' | 'io' | 'damaged' | 'foreign' | 'newer' | 'stopped';

const SENTENCES: Record<FaultKind, (file: string, detail: string) => string> = {
  full: (file) => `the disk of ${file} is full. Free some space: writes work again as soon as there is room.`,
  readOnly: (file) =>
    `${file} cannot be written. Make the file, its folder and the files ${file}-wal and ${file}-shm writable for this user.`,
  locked: (file) =>
    `${file} is locked by another program. Close it there (a sqlite3 shell, a copying tool): writes work again then.`,
  io: (file, detail) =>
    `${file} cannot be read or written (${detail}). Check the disk, the folder's permissions and the system's log.`,
  damaged: (file, detail) =>
    `${file} is damaged (${detail}). Stop the server, keep ${file} and ${file}-wal aside, and restore a backup.`,
  foreign: (file) =>
    `${file} is a database of another program. Move it away, or set PUNCTUAL_DATA to another folder.`,
  newer: (file, detail) =>
    `${file} was written by a newer version (${detail}). Start that version, or set PUNCTUAL_DATA to another folder.`,
  stopped: (file) => `the writer of ${file} has stopped. Start the server again.`,
};

/** The database file is in the way. A write that fails with this error may have been done. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  readonly kind: FaultKind;
  readonly file: string;
  readonly detail: string;
  constructor(kind: FaultKind, file: string, detail = '') {
    super(SENTENCES[kind](file, detail));
    this.kind = kind;
    this.file = file;
    this.detail = detail;
  }
  /** True: the same call may work later without a restart. */
  get isPassing(): boolean {
    return this.kind === 'full' || this.kind === 'readOnly' || this.kind === 'locked' || this.kind === 'io';
  }
}

/** The keys are SQLite's primary result codes. */
const KINDS: Readonly<Record<number, FaultKind>> = {
  5: 'locked', // SQLITE_BUSY
  6: 'locked', // SQLITE_LOCKED
  7: 'io', // SQLITE_NOMEM
  8: 'readOnly', // SQLITE_READONLY
  10: 'io', // SQLITE_IOERR
  11: 'damaged', // SQLITE_CORRUPT
  13: 'full', // SQLITE_FULL
  14: 'io', // SQLITE_CANTOPEN
  15: 'locked', // SQLITE_PROTOCOL: the locks of the WAL
  26: 'damaged', // SQLITE_NOTADB
};

const hasErrcode = (error: unknown): error is Error & { errcode: number } =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number';

/** Undefined: the error is not a fault of the file, for example a violated constraint. */
export function faultOf(error: unknown, file: string): StoreFault | undefined {
  if (error instanceof StoreFault) return error;
  if (!hasErrcode(error)) return undefined;
  const kind = KINDS[error.errcode & 0xff];
  return kind && new StoreFault(kind, file, `${error.message}, SQLite's code ${error.errcode}`);
}
