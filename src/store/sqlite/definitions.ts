// Params and notifications of jobs, immutable per version.
import type { Definition } from '../../domain/jobs/job.ts';
import { definitionToItem } from '../items.ts';
import type { JobsStore } from '../store.ts';
import { changing, type Reader, type Value, type Writer } from './statements.ts';
import { orNull } from './values.ts';

type Definitions = Pick<JobsStore, 'putDefinition' | 'readDefinition' | 'readDefinitions'>;

const PUT = changing(
  'INSERT OR REPLACE INTO definitions (jobId, version, params, notify) VALUES (?, ?, ?, ?)',
);
const READ = 'SELECT jobId, version, params, notify FROM definitions WHERE jobId = ? AND version = ?';
const READ_MANY = `SELECT jobId, version, params, notify FROM definitions WHERE (jobId, version) IN (
  SELECT value ->> 0, value ->> 1 FROM json_each(?))`;

export function definitionOperations(reader: Reader, writer: Writer): Definitions {
  return {
    async putDefinition(definition) {
      const { params, notify } = definitionToItem(definition);
      const values = [definition.jobId, definition.version, orNull(params), orNull(notify)];
      await writer.write(PUT, values, 'person', definition.jobId);
    },
    async readDefinition(jobId, version) {
      const row = reader.one(READ, jobId, version);
      return row && definitionOf(row);
    },
    async readDefinitions(keys) {
      if (keys.length === 0) return [];
      const wanted = new Map(keys.map(({ jobId, version }) => [`${jobId}#${version}`, [jobId, version]]));
      return reader.all(READ_MANY, JSON.stringify([...wanted.values()])).map(definitionOf);
    },
  };
}

const definitionOf = ([jobId, version, params, notify]: Value[]): Definition => ({
  jobId: String(jobId),
  version: Number(version),
  params: typeof params === 'string' ? JSON.parse(params) : {},
  notify: typeof notify === 'string' ? JSON.parse(notify) : [],
});
