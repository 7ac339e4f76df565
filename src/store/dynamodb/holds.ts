// Holds: the heartbeat of any of them, and the items of their own that `overlap: allow` uses.
import type { DueKey } from '../../domain/executions/ids.ts';
import type { Hold, HoldItem } from '../../domain/jobs/job.ts';
import type { Item } from '../items.ts';
import { HEAD, holdFromItem, holdItemFromItem, holdItemToItem, holdPart, holdPartToItem } from '../items.ts';
import type { HoldPlace } from '../store.ts';
import type { Database } from './database.ts';

const table = 'jobs';

/** Where the token is mine. 1 WRU below 1 KB (it bills the whole head); the index is not touched. */
export async function heartbeat(
  db: Database,
  jobId: string,
  place: HoldPlace,
  token: string,
  leaseUntil: number,
  stamp: string,
): Promise<Hold | undefined> {
  const updated = await db.update(
    { operation: 'heartbeat', table },
    {
      Key: { jobId, part: place === 'head' ? HEAD : holdPart(place.due) },
      UpdateExpression: 'SET leaseUntil = :leaseUntil, stamp = :stamp',
      ConditionExpression: 'holder = :token',
      ExpressionAttributeValues: { ':token': token, ':leaseUntil': leaseUntil, ':stamp': stamp },
      ReturnValues: 'ALL_NEW',
    },
  );
  return updated && holdFromItem(updated);
}

/** If absent. 1 WRU. */
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

/** Where the stamp is as seen. 1 WRU. */
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

/** Where the stamp is as seen: neither somebody else's hold nor a cancel that was asked for since is lost. 1 WRU. */
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

/** Consistent, every page: 1 RRU per 4 KB. */
export async function listHoldItems(db: Database, jobId: string): Promise<HoldItem[]> {
  const found: HoldItem[] = [];
  let last: Item | undefined;
  do {
    const page = await db.query(
      { operation: 'listHoldItems', table },
      {
        KeyConditionExpression: 'jobId = :jobId AND begins_with(part, :hold)',
        ExpressionAttributeValues: { ':jobId': jobId, ':hold': holdPart('') },
        ConsistentRead: true,
        ExclusiveStartKey: last,
      },
    );
    found.push(...page.items.map(holdItemFromItem));
    last = page.last;
  } while (last);
  return found;
}
