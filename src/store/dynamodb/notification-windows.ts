// Notification windows: one item beside the head per kind of event, only for jobs with notifications.
import type { NotifyEvent } from '../../domain/jobs/notify-events.ts';
import { windowFromItem, windowToItem } from '../items.ts';
import type { NotificationWindow } from '../store.ts';
import type { Database } from './database.ts';

const table = 'jobs';
const keyOf = (jobId: string, event: NotifyEvent) => ({ jobId, part: `notice#${event}` });

/** Consistent: 1 RRU. */
export async function readNotificationWindow(
  db: Database,
  jobId: string,
  event: NotifyEvent,
): Promise<NotificationWindow | undefined> {
  const item = await db.get({ operation: 'readNotificationWindow', table }, keyOf(jobId, event), true);
  if (!item) return undefined;
  const { part: _part, expiresAt: _expiresAt, ...attributes } = item;
  return windowFromItem({ ...attributes, event });
}

/** Succeeds if the stamp is as seen. If `seen` is undefined, succeeds if there is no item. 1 WRU: below 1 KB. */
export function writeNotificationWindow(
  db: Database,
  seen: NotificationWindow | undefined,
  window: NotificationWindow,
  expiresAt: number,
): Promise<boolean> {
  const condition = seen
    ? { ConditionExpression: 'stamp = :seen', ExpressionAttributeValues: { ':seen': seen.stamp } }
    : { ConditionExpression: 'attribute_not_exists(jobId)' };
  const { event: _event, ...attributes } = windowToItem(window);
  return db.put(
    { operation: 'writeNotificationWindow', table },
    { Item: { ...attributes, ...keyOf(window.jobId, window.event), expiresAt }, ...condition },
  );
}
