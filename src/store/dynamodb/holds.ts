// Holds: heartbeats of all holds, and the hold items of `overlap: allow`.
import type { DueKey } from '../../domain/executions/ids.ts';
import type { Progress } from '../../domain/executions/progress.ts';
import type { Hold, HoldItem } from '../../domain/jobs/job.ts';
import type { Item } from '../items.ts';
import {
  HEAD,
  holdFromItem,
  holdItemFromItem,
  holdItemToItem,
  holdPart,
  holdPartToItem,
  progressToItem,
} from '../items.ts';
import type { HoldPlace } from '../store.ts';
import type { Database } from './database.ts';

const table = 'jobs';

/** Undefined if the token is another. 1 WRU below 1 KB of the head. The index does not change. */
export async function heartbeat(
  db: Database,
  jobId: string,
  place: HoldPlace,
  token: string,
  leaseUntil: number,
  stamp: string,
  progress?: Progress,
): Promise<Hold | undefined> {
  const updated = await db.update(
    { operation: 'heartbeat', table },
    {
      Key: { jobId, part: place === 'head' ? HEAD : holdPart(place.due) },
      UpdateExpression: `SET leaseUntil = :leaseUntil, stamp = :stamp${progress ? ', progress = :progress' : ''}`,
      ConditionExpression: 'holder = :token',
      ExpressionAttributeValues: {
        ':token': token,
        ':leaseUntil': leaseUntil,
        ':stamp': stamp,
        ...(progress && { ':progress': progressToItem(progress) }),
      },
      ReturnValues: 'ALL_NEW',
    },
  );
  return updated && holdFromItem(updated);
}

/** False if it exists. 1 WRU. */
export function insertHoldItem(db: Database, item: HoldItem): Promise<boolean> {
  const key = { jobId: item.jobId, part: holdPart(item.due) };
  return db.insert({ operation: 'insertHoldItem', table }, { key, item: holdItemToItem(item) });
}

/** Consistent: 1 RRU. */
export async function readHoldItem(db: Database, jobId: string, due: DueKey): Promise<HoldItem | undefined> {
  const key = { jobId, part: holdPart(due) };
  const item = await db.get({ operation: 'readHoldItem', table }, key, true);
  return item && holdItemFromItem(item);
}

/** False if the stamp is not as seen. 1 WRU. */
export function updateHoldItem(
  db: Database,
  jobId: string,
  due: DueKey,
  seen: string,
  { hold, stamp }: { hold: Hold; stamp: string },
): Promise<boolean> {
  return db.change(
    { operation: 'updateHoldItem', table },
    {
      key: { jobId, part: holdPart(due) },
      change: { ...holdPartToItem(hold), stamp },
      where: { stamp: seen },
    },
  );
}

/** False if the stamp is not as seen, so no other hold and no later cancel request is removed. 1 WRU. */
export function removeHoldItem(db: Database, jobId: string, due: DueKey, seen: string): Promise<boolean> {
  return db.remove(
    { operation: 'removeHoldItem', table },
    {
      Key: { jobId, part: holdPart(due) },
      ConditionExpression: 'stamp = :seen',
      ExpressionAttributeValues: { ':seen': seen },
    },
  );
}

/** Consistent. Reads every page: 1 RRU per 4 KB, also of items that the filter leaves out. */
export async function listHoldItems(db: Database, jobId: string, leasedUntil = 0): Promise<HoldItem[]> {
  const found: HoldItem[] = [];
  let last: Item | undefined;
  do {
    const page = await db.query(
      { operation: 'listHoldItems', table },
      {
        KeyConditionExpression: 'jobId = :jobId AND begins_with(part, :hold)',
        FilterExpression: 'leaseUntil >= :lease',
        ExpressionAttributeValues: { ':jobId': jobId, ':hold': holdPart(''), ':lease': leasedUntil },
        ConsistentRead: true,
        ExclusiveStartKey: last,
      },
    );
    found.push(...page.items.map(holdItemFromItem));
    last = page.last;
  } while (last);
  return found;
}
