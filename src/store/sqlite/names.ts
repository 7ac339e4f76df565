// Names of jobs. Every write is a compare-and-set on the stamp.
import type { NameStore } from '../store.ts';
import { changing, type Reader, type Writer } from './statements.ts';
import { isOne, orNull } from './values.ts';

const READ = 'SELECT jobId, previous, stamp FROM names WHERE userId = ? AND namespace = ? AND name = ?';
const INSERT = changing(
  `INSERT INTO names (jobId, previous, stamp, userId, namespace, name) VALUES (?, ?, ?, ?, ?, ?)
   ON CONFLICT DO NOTHING`,
);
const UPDATE = changing(
  `UPDATE names SET jobId = ?, previous = ?, stamp = ?
   WHERE userId = ? AND namespace = ? AND name = ? AND stamp = ?`,
);

export function nameOperations(reader: Reader, writer: Writer): NameStore {
  return {
    async readName(userId, namespace, name) {
      const row = reader.one(READ, userId, namespace, name);
      if (!row) return undefined;
      const [jobId, previous, stamp] = row;
      return {
        ...{ userId, namespace, name, jobId: String(jobId) },
        ...(previous !== null && { previous: String(previous) }),
        stamp: String(stamp),
      };
    },
    async writeName(seen, { userId, namespace, name, jobId, previous, stamp }) {
      const values = [jobId, orNull(previous), stamp, userId, namespace, name];
      return isOne(
        seen
          ? await writer.write(UPDATE, [...values, seen.stamp], 'person', userId)
          : await writer.write(INSERT, values, 'person', userId),
      );
    },
  };
}
