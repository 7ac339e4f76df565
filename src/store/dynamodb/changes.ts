// Records of what people changed: items of the job's partition, outside of the index. They stay as long as the job.
import type { Change, ChangeKey } from '../../domain/jobs/change.ts';
import type { Item } from '../items.ts';
import type { Database } from './database.ts';
import { readRange } from './ranges.ts';

const table = 'jobs';

/** String order is the order of versions, and within one version of time. */
const partOf = ({ version, at }: ChangeKey): string =>
  `change#${String(version).padStart(10, '0')}#${String(at).padStart(13, '0')}`;
/** Less than every part of a change, and greater than every part before them. */
const BEFORE_ALL = 'change#';

/** If absent. 1 WRU per KB: about 400 bytes. */
export function insertChange(db: Database, change: Change): Promise<boolean> {
  const { jobId, version, at, ...record } = change;
  const key = { jobId, part: partOf(change) };
  return db.insert(
    { operation: 'insertChange', table },
    { key, item: { ...key, record: JSON.stringify(record) } },
  );
}

/** Consistent. 1 RRU per 4 KB. */
export async function listChanges(
  db: Database,
  jobId: string,
  from: ChangeKey,
  limit: number,
): Promise<Change[]> {
  const range = { partitionKey: 'jobId', partition: jobId, sortKey: 'part', newestFirst: true };
  const { items } = await readRange(
    db,
    { operation: 'listChanges', table },
    // '!' sorts before every character that could follow: the first key after this one
    { ...range, from: BEFORE_ALL, before: `${partOf(from)}!`, consistent: true },
    limit,
  );
  return items.map(changeFromItem);
}

function changeFromItem({ jobId, part, record }: Item): Change {
  const [, version, at] = String(part).split('#');
  return {
    jobId: String(jobId),
    version: Number(version),
    at: Number(at),
    ...(JSON.parse(String(record)) as Omit<Change, 'jobId' | 'version' | 'at'>),
  };
}
