// The log lines of executions. A trigger of the schema removes them together with the row of their execution.
import { MAX_LINES, MAX_LINES_BYTES } from '../../domain/executions/log-line.ts';
import type { LogLineStore } from '../log-lines.ts';
import { changing, type Reader, type Writer } from './statements.ts';

const APPEND = changing(
  `INSERT INTO logLines (jobId, due, n, bytes, record)
   SELECT ?1, ?2, ifnull((SELECT max(n) FROM logLines WHERE jobId = ?1 AND due = ?2), 0) + 1 + key,
     value ->> 0, value ->> 1 FROM json_each(?3)`,
);
/** The newest line stays in any case, because it has the highest number. */
const TRIM = changing(
  `DELETE FROM logLines WHERE jobId = ?1 AND due = ?2 AND n <= (
     SELECT max(n) FROM (
       SELECT n, row_number() OVER newer AS lines, sum(bytes) OVER newer AS total FROM logLines
       WHERE jobId = ?1 AND due = ?2 WINDOW newer AS (ORDER BY n DESC))
     WHERE lines > 1 AND (lines > ${MAX_LINES} OR total > ${MAX_LINES_BYTES}))`,
);
const READ = 'SELECT n, record FROM logLines WHERE jobId = ? AND due = ? AND n > ? ORDER BY n LIMIT ?';

export function logLineOperations(reader: Reader, writer: Writer): LogLineStore {
  return {
    async appendLines({ jobId, due }, owner, lines) {
      if (lines.length === 0) return;
      const values = JSON.stringify(lines.map(({ bytes, record }) => [bytes, record]));
      // nobody waits for a record, so no claim and no start waits for these writes
      await Promise.all([
        writer.write(APPEND, [jobId, due, values], 'record', owner),
        writer.write(TRIM, [jobId, due], 'record', owner),
      ]);
    },
    async readLines({ jobId, due }, after, limit) {
      const rows = reader.all(READ, jobId, due, after, limit);
      return rows.map(([n, record]) => ({ n: Number(n), record: String(record) }));
    },
  };
}
