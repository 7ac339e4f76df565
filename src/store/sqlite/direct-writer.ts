// Writes on the calling thread, each in a commit of its own and done when `write` returns: for a database in memory, where
// nothing waits for a disk.
import type { DatabaseSync } from 'node:sqlite';
import { createCommit, WriteRefused } from './commit.ts';
import type { Writer } from './statements.ts';

export function createDirectWriter(db: DatabaseSync, file: string): Writer {
  const commit = createCommit(db, file);
  return {
    async write(statement, values) {
      const done = commit([{ statement, values }]);
      if ('fault' in done) throw done.fault;
      const [answer = 0] = done.answers;
      if (answer instanceof WriteRefused) throw answer;
      return answer;
    },
  };
}
