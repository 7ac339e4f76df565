// Change records: items in the partition of their job, outside the index. A record is kept as long as its job.
import type { Change, ChangeKey } from '../../domain/jobs/change.ts';
import { type Item, jobExpiry } from '../items.ts';
import type { Database } from './database.ts';
import { readRange } from './ranges.ts';

const table = 'jobs';

/** Sorts by version, then by time. */
const partOf = ({ version, at }: ChangeKey): string =>
  `change#${String(version).padStart(10, '0')}#${String(at).padStart(13, '0')}`;
/** Sorts before the records of changes, and after the parts before them. */
export const BEFORE_ALL = 'change#';

/** False if it exists. 1 WRU per KB. A record has about 400 bytes. */
export function insertChange(
  db: Database,
  keptMs: number,
  change: Change,
  end: number | undefined,
): Promise<boolean> {
  const { jobId, version, at, ...record } = change;
  const key = { jobId, part: partOf(change) };
  return db.insert(
    { operation: 'insertChange', table },
    { key, item: { ...key, record: JSON.stringify(record), ...jobExpiry(end, keptMs) } },
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
    // '!' sorts before every character that may follow, so this is the first key after `from`
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
