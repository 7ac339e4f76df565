// A writer on the calling thread. Each write is a commit of its own and is done when `write` returns. It suits a database in
// memory, which waits for no disk.
import type { DatabaseSync } from 'node:sqlite';
import { createCommit, type Unit, WriteRefused } from './commit.ts';
import type { Answer, Writer } from './statements.ts';

export function createDirectWriter(db: DatabaseSync, file: string): Writer {
  const commit = createCommit(db, file);
  async function commitOne(unit: Unit): Promise<Answer> {
    const done = commit([unit]);
    if ('fault' in done) throw done.fault;
    const [answer = 0] = done.answers;
    if (answer instanceof WriteRefused) throw answer;
    return answer;
  }
  return {
    write: (statement, values) => commitOne({ writes: [{ statement, values }] }),
    transact: async (writes) => (await commitOne({ writes })) === 1,
  };
}
