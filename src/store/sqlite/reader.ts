// Reads on the connection of the calling thread. Each statement is a read transaction of its own. It sees every commit that
// was acknowledged before, and delays neither the writer nor a checkpoint.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { withFaults } from './open.ts';
import type { Reader, Value } from './statements.ts';

export function createReader(db: DatabaseSync, file: string): Reader {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    let statement = prepared.get(sql);
    if (!statement) {
      statement = db.prepare(sql);
      statement.setReturnArrays(true);
      prepared.set(sql, statement);
    }
    return statement;
  };
  return {
    one: (sql, ...values) =>
      withFaults(file, () => prepare(sql).get(...values) as unknown as Value[] | undefined),
    all: (sql, ...values) => withFaults(file, () => prepare(sql).all(...values) as unknown as Value[][]),
  };
}
