// Group commit: many writes in one transaction. Each write is a single statement. A refused write leaves nothing behind, and
// the other writes of its group are committed.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { faultOf, type StoreFault } from './faults.ts';
import type { Answer, Statement, Value } from './statements.ts';

export interface Write {
  readonly statement: Statement;
  readonly values: readonly Value[];
}

/** SQLite does not take this write, for example because a text is too large. */
export class WriteRefused extends Error {
  override readonly name = 'WriteRefused';
}

/** After a fault no write of the group is visible to this process. */
export type Committed = { readonly answers: (Answer | WriteRefused)[] } | { readonly fault: StoreFault };

export function createCommit(db: DatabaseSync, file: string): (group: readonly Write[]) => Committed {
  const prepared = new Map<Statement, StatementSync>();
  const begin = db.prepare('BEGIN IMMEDIATE');
  const end = db.prepare('COMMIT');

  function prepare(statement: Statement): StatementSync {
    let ready = prepared.get(statement);
    if (!ready) {
      ready = db.prepare(statement.sql);
      if (statement.returns === 'rows') ready.setReturnArrays(true);
      prepared.set(statement, ready);
    }
    return ready;
  }

  /** A fault of the file is thrown. Any other error belongs to this write alone. */
  function run({ statement, values }: Write): Answer | WriteRefused {
    try {
      const ready = prepare(statement);
      return statement.returns === 'rows'
        ? (ready.all(...values) as unknown as Value[][])
        : Number(ready.run(...values).changes);
    } catch (error) {
      if (faultOf(error, file)) throw error;
      return new WriteRefused(error instanceof Error ? error.message : String(error));
    }
  }

  return (group) => {
    try {
      begin.run();
      const answers = group.map(run);
      end.run();
      return { answers };
    } catch (error) {
      // after some faults, such as a full disk, SQLite has rolled back by itself
      if (db.isTransaction) db.exec('ROLLBACK');
      const fault = faultOf(error, file);
      if (!fault) throw error;
      return { fault };
    }
  };
}
