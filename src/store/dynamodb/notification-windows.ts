// What was told of a job's events, by kind: an item beside the head, and only of jobs that tell.
import type { NotifyEvent } from '../../domain/jobs/notify-events.ts';
import type { Item } from '../items.ts';
import type { Notice } from '../store.ts';
import type { Database } from './database.ts';

const table = 'jobs';
const keyOf = (jobId: string, event: NotifyEvent) => ({ jobId, part: `notice#${event}` });

/** Consistent: 1 RRU. */
export async function readNotice(
  db: Database,
  jobId: string,
  event: NotifyEvent,
): Promise<Notice | undefined> {
  const item = await db.get({ operation: 'readNotice', table }, keyOf(jobId, event), true);
  return item && noticeFromItem(item, event);
}

function noticeFromItem(item: Item, event: NotifyEvent): Notice {
  const { part: _part, expiresAt: _expiresAt, ...notice } = item;
  return { ...notice, event } as unknown as Notice;
}

/** Where the stamp is as seen, or where there is none. 1 WRU: below 1 KB. */
export function writeNotice(
  db: Database,
  seen: Notice | undefined,
  { event, ...notice }: Notice,
  expiresAt: number,
): Promise<boolean> {
  const condition = seen
    ? { ConditionExpression: 'stamp = :seen', ExpressionAttributeValues: { ':seen': seen.stamp } }
    : { ConditionExpression: 'attribute_not_exists(jobId)' };
  return db.put(
    { operation: 'writeNotice', table },
    { Item: { ...notice, ...keyOf(notice.jobId, event), expiresAt }, ...condition },
  );
}
