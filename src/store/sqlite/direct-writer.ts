// A writer on the calling thread. Each write is a commit of its own and is done when `write` returns. It suits a database in
// memory, which waits for no disk.
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
