// Checkpoints: the writer copies the -wal file into the database file. A checkpoint runs after the answers of a commit were
// sent. It prefers a moment when no write waits, and does not let the -wal file grow large.
import type { DatabaseSync } from 'node:sqlite';

const PAGE = 4_096;
/** On average a write changes two pages of its own. Its text fills further pages. */
const PAGES_PER_WRITE = 2;
/** 16 MB. From this size on a checkpoint is worth its two fsyncs when no write waits. */
const WHEN_IDLE = 4_000;
/** 48 MB. From this size on a checkpoint runs although writes wait. */
const AT_LATEST = 12_000;

export interface Checkpoints {
  readonly done: number;
  wrote(writes: number, text: number): void;
  /** `idle`: no write waits. A small -wal file is left alone. */
  runIfDue(idle: boolean): void;
  /** `truncate`: the -wal file is cut to zero bytes. */
  run(truncate: boolean): void;
}

export function createCheckpoints(db: DatabaseSync): Checkpoints {
  let pages = 0;
  let done = 0;
  function run(truncate: boolean): void {
    // The count begins again after a failure too, so a full disk is not asked all the time. Writes report the fault.
    pages = 0;
    try {
      // a PASSIVE checkpoint waits for no reader
      db.prepare(`PRAGMA wal_checkpoint(${truncate ? 'TRUNCATE' : 'PASSIVE'})`).get();
      done++;
    } catch {}
  }
  return {
    get done() {
      return done;
    },
    wrote(writes, text) {
      pages += writes * PAGES_PER_WRITE + text / PAGE;
    },
    runIfDue(idle) {
      if (pages >= (idle ? WHEN_IDLE : AT_LATEST)) run(false);
    },
    run,
  };
}
