// Change records of jobs. A record lives as long as its job.
import type { Change } from '../../domain/jobs/change.ts';
import type { ChangeStore } from '../store.ts';
import { changing, type Reader, type Value, type Writer } from './statements.ts';
import { isOne } from './values.ts';

const INSERT = changing(
  'INSERT INTO changes (jobId, version, at, record) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
);
const LIST = `SELECT jobId, version, at, record FROM changes
  WHERE jobId = ? AND (version, at) <= (?, ?) ORDER BY version DESC, at DESC LIMIT ?`;

export function changeOperations(reader: Reader, writer: Writer): ChangeStore {
  return {
    async insertChange({ jobId, version, at, ...record }) {
      const values = [jobId, version, at, JSON.stringify(record)];
      return isOne(await writer.write(INSERT, values, 'person', record.by));
    },
    async listChanges(jobId, { version, at }, limit) {
      return reader.all(LIST, jobId, version, at, limit).map(changeOf);
    },
  };
}

const changeOf = ([jobId, version, at, record]: Value[]): Change =>
  Object.assign({ jobId, version, at }, JSON.parse(String(record)));
