// Checkpoints: the writer copies the -wal file into the database file. A checkpoint runs after the answers of a commit were
// sent. It prefers a moment when no write waits, and does not let the -wal file grow large.
import type { DatabaseSync } from 'node:sqlite';

/** 16 MB. From this size on a checkpoint is worth its two fsyncs when no write waits. */
const WHEN_IDLE = 4_000;
/** 48 MB. From this size on a checkpoint runs although writes wait. */
const AT_LATEST = 12_000;

export interface Checkpoints {
  readonly done: number;
  /** `idle`: no write waits. A small -wal file is left alone. */
  runIfDue(idle: boolean): void;
  /** `truncate`: the -wal file is cut to zero bytes. */
  run(truncate: boolean): void;
}

export function createCheckpoints(db: DatabaseSync): Checkpoints {
  // tells the size and copies nothing; SQLite before 3.51 takes it for PASSIVE
  const size = db.prepare('PRAGMA wal_checkpoint(NOOP)');
  /** Pages that waited after a checkpoint which could not copy them, for example onto a full disk. */
  let left = 0;
  let done = 0;

  /** Pages of the -wal file that are not in the database file yet. 0 where the file is at fault: writes report that. */
  function waiting(): number {
    try {
      const { log, checkpointed } = size.get() as { log: number; checkpointed: number };
      return log - checkpointed;
    } catch {
      return 0;
    }
  }

  function run(truncate: boolean): void {
    try {
      // a PASSIVE checkpoint waits for no reader
      db.prepare(`PRAGMA wal_checkpoint(${truncate ? 'TRUNCATE' : 'PASSIVE'})`).get();
      done++;
    } catch {}
    left = waiting();
  }

  return {
    get done() {
      return done;
    },
    runIfDue(idle) {
      // counted from what was left, so a full disk is not asked all the time
      if (waiting() - left >= (idle ? WHEN_IDLE : AT_LATEST)) run(false);
    },
    run,
  };
}
