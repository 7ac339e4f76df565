// Group commit: many writes in one transaction of the file. A refused write leaves nothing behind, and the other writes of its
// group are committed.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { faultOf, type StoreFault } from './faults.ts';
import type { Answer, Statement, Value, Write } from './statements.ts';

/** Statements that are done together or not at all. A single one is answered with its own answer, several with 1 or 0. */
export interface Unit {
  readonly writes: readonly Write[];
}

/** SQLite does not take this write, for example because a text is too large. */
export class WriteRefused extends Error {
  override readonly name = 'WriteRefused';
}

/** After a fault no write of the group is visible to this process. */
export type Committed = { readonly answers: (Answer | WriteRefused)[] } | { readonly fault: StoreFault };

export interface CommitOptions {
  /** Whether the commit waits for the disk. A later commit that waits makes it durable too. */
  readonly synced: boolean;
}

export type Commit = (group: readonly Unit[], options?: CommitOptions) => Committed;

export function createCommit(db: DatabaseSync, file: string): Commit {
  const prepared = new Map<Statement, StatementSync>();
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('COMMIT');
  const save = db.prepare('SAVEPOINT unit');
  const undo = db.prepare('ROLLBACK TO unit');
  const keep = db.prepare('RELEASE unit');
  let isSynced = true;

  function prepare(statement: Statement): StatementSync {
    let ready = prepared.get(statement);
    if (!ready) {
      ready = db.prepare(statement.sql);
      if (statement.returns === 'rows') ready.setReturnArrays(true);
      prepared.set(statement, ready);
    }
    return ready;
  }

  function run({ statement, values }: Write): Answer {
    const ready = prepare(statement);
    return statement.returns === 'rows'
      ? (ready.all(...values) as unknown as Value[][])
      : Number(ready.run(...values).changes);
  }

  function runAll(writes: readonly Write[]): Answer {
    save.run();
    let isDone = false;
    try {
      isDone = writes.every((write) => run(write) === 1);
    } finally {
      // after some faults SQLite has rolled back by itself
      if (!isDone && db.isTransaction) undo.run();
      if (db.isTransaction) keep.run();
    }
    return isDone ? 1 : 0;
  }

  /** A fault of the file is thrown. Any other error belongs to this unit alone. */
  function runUnit({ writes }: Unit): Answer | WriteRefused {
    try {
      const [only] = writes;
      return only && writes.length === 1 ? run(only) : runAll(writes);
    } catch (error) {
      if (faultOf(error, file)) throw error;
      return new WriteRefused(error instanceof Error ? error.message : String(error));
    }
  }

  return (group, { synced } = { synced: true }) => {
    try {
      if (synced !== isSynced) db.exec(`PRAGMA synchronous = ${synced ? 'FULL' : 'NORMAL'}`);
      isSynced = synced;
      begin.run();
      const answers = group.map(runUnit);
      end.run();
      return { answers };
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      const fault = faultOf(error, file);
      if (!fault) throw error;
      return { fault };
    }
  };
}
