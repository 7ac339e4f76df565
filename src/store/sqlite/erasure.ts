// Removes what belongs to an owner. Triggers of the schema remove what stands beside a row and beside a head.
import { ownerHash } from '../../domain/digest.ts';
import type { ErasureStore } from '../store.ts';
import { changing, type Writer } from './statements.ts';

const ROWS = changing(
  'DELETE FROM executions WHERE (jobId, due) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))',
);

const IDS = '(SELECT value FROM json_each(?1))';
/** A dead letter may be no JSON. */
const bodyHas = (path: string) => `CASE WHEN json_valid(body) THEN json_extract(body, '${path}') END`;

/** The heads are last: until then the next pass finds the jobs again. */
const JOBS = [
  `DELETE FROM timetable WHERE substr(key, 15, instr(substr(key, 15), '#') - 1) IN ${IDS}`,
  ...['logLines', 'checkpoints', 'waits', 'seats'].map(
    (table) => `DELETE FROM ${table} WHERE jobId IN ${IDS}`,
  ),
  `DELETE FROM messages WHERE ${bodyHas('$.jobId')} IN ${IDS} OR ${bodyHas('$.payload.job.id')} IN ${IDS}`,
  `DELETE FROM operations WHERE json_extract(record, '$.params.jobId') IN ${IDS}`,
  `DELETE FROM heads WHERE jobId IN ${IDS}`,
].map(changing);

const LIMITS = changing('DELETE FROM limits WHERE userId = ?');
const OWNER = [
  ...['quotas', 'names'].map((table) => `DELETE FROM ${table} WHERE userId = ?`),
  `DELETE FROM messages WHERE ${bodyHas('$.userId')} = ?`,
].map(changing);
const SEATS = changing('DELETE FROM seats WHERE owner = ?');
const OPERATIONS = changing(
  `DELETE FROM operations WHERE id <> ?2
     AND NOT (json_extract(record, '$.kind') = 'erasure' AND json_extract(record, '$.status') IN ('pending', 'running'))
     AND (json_extract(record, '$.userId') = ?1 OR json_extract(record, '$.params.owner') = ?1)`,
);

export function erasureOperations(writer: Writer): ErasureStore {
  return {
    async eraseRows(keys) {
      const values = JSON.stringify(keys.map(({ jobId, due }) => [jobId, due]));
      await writer.write(ROWS, [values], 'record', '');
    },
    async eraseJobs(heads) {
      const ids = JSON.stringify(heads.map(({ jobId }) => jobId));
      for (const statement of JOBS) await writer.write(statement, [ids], 'record', '');
    },
    async eraseOwner(userId, { operation, limits }) {
      for (const statement of OWNER) await writer.write(statement, [userId], 'record', '');
      if (limits) await writer.write(LIMITS, [userId], 'record', '');
      await writer.write(SEATS, [ownerHash(userId)], 'record', '');
      await writer.write(OPERATIONS, [userId, operation], 'record', '');
      writer.truncate?.();
    },
  };
}
