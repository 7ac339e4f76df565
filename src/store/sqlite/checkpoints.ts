// When the -wal file is copied into the database file: after answers were given, preferably when nothing waits, and before
// the -wal file is large.
import type { DatabaseSync } from 'node:sqlite';

const PAGE = 4_096;
/** A write changes about two pages that the commit's other writes do not, and those that its text fills. */
const PAGES_PER_WRITE = 2;
/** 16 MB: worth the two fsyncs of a checkpoint when nothing waits. */
const WHEN_IDLE = 4_000;
/** 48 MB: also when something waits. */
const AT_LATEST = 12_000;

export interface Checkpoints {
  readonly done: number;
  wrote(writes: number, text: number): void;
  /** `idle`: nothing waits. Does nothing while there is little to copy. */
  runIfDue(idle: boolean): void;
  /** `truncate`: also empties the -wal file. */
  run(truncate: boolean): void;
}

export function createCheckpoints(db: DatabaseSync): Checkpoints {
  let pages = 0;
  let done = 0;
  function run(truncate: boolean): void {
    // also when it fails: the next try comes after as much again, and a fault shows in the writes meanwhile
    pages = 0;
    try {
      // passive: waits for nobody, and copies what no reader needs
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
