// Leases and cursors of the shards, and the rows of the workers.

import type { Item } from '../items.ts';
import { seconds } from '../items.ts';
import type { Shard, ShardChange, WorkerRow } from '../store.ts';
import type { Database } from './database.ts';

const table = 'control';
const WORKER = 'worker#';
const WORKER_KEPT_MS = 86_400_000;

const shardKey = (shard: number) => ({ pk: `shard#${shard}` });

/** False if it exists. 1 WRU. */
export function insertShard(db: Database, shard: Shard): Promise<boolean> {
  const key = shardKey(shard.shard);
  return db.insert({ operation: 'insertShard', table }, { key, item: { ...key, ...shard } });
}

/** Consistent: 1 RRU. */
export async function readShard(db: Database, shard: number): Promise<Shard | undefined> {
  const item = await db.get({ operation: 'readShard', table }, shardKey(shard), true);
  return item && shardFromItem(item);
}

function shardFromItem(item: Item): Shard {
  const { pk: _pk, ...shard } = item;
  return shard as unknown as Shard;
}

/** False if the token is not as seen. 1 WRU. */
export async function takeShard(
  db: Database,
  shard: number,
  seenToken: string | undefined,
  token: string,
  leaseUntil: number,
): Promise<boolean> {
  const seen = seenToken === undefined ? 'attribute_not_exists(#token)' : '#token = :seen';
  const updated = await db.update(
    { operation: 'takeShard', table },
    {
      Key: shardKey(shard),
      UpdateExpression: 'SET #token = :token, leaseUntil = :leaseUntil',
      ConditionExpression: `attribute_exists(pk) AND ${seen}`,
      ExpressionAttributeNames: { '#token': 'token' },
      ExpressionAttributeValues: { ':token': token, ':leaseUntil': leaseUntil, ':seen': seenToken },
    },
  );
  return updated !== undefined;
}

/** False if the token is another. 1 WRU. A cursor that is further ahead is kept, at the cost of 1 more read and write. */
export async function commitShard(
  db: Database,
  shard: number,
  token: string,
  change: ShardChange,
): Promise<boolean> {
  if (await commit(db, shard, token, change)) return true;
  const now = await readShard(db, shard);
  if (now?.token !== token) return false;
  const { dispatchedUntil, settledUntil, ...rest } = change;
  return commit(db, shard, token, {
    ...rest,
    ...ifFurther('dispatchedUntil', dispatchedUntil, now),
    ...ifFurther('settledUntil', settledUntil, now),
  });
}

const ifFurther = (
  name: 'dispatchedUntil' | 'settledUntil',
  wanted: number | undefined,
  now: Shard,
): Partial<ShardChange> => (wanted !== undefined && wanted > now[name] ? { [name]: wanted } : {});

async function commit(db: Database, shard: number, token: string, change: ShardChange): Promise<boolean> {
  const { leaseUntil, rebuild, ...cursors } = change;
  const moved = Object.entries(cursors).filter(([, minute]) => minute !== undefined);
  const updated = await db.update(
    { operation: 'commitShard', table },
    {
      Key: shardKey(shard),
      UpdateExpression: `SET leaseUntil = :leaseUntil${rebuild ? ', #rebuild = :rebuild' : ''}${moved.map(([name]) => `, ${name} = :${name}`).join('')}`,
      ConditionExpression: `#token = :token${moved.map(([name]) => ` AND ${name} <= :${name}`).join('')}`,
      ExpressionAttributeNames: { '#token': 'token', ...(rebuild && { '#rebuild': 'rebuild' }) },
      ExpressionAttributeValues: {
        ':token': token,
        ':leaseUntil': leaseUntil,
        ':rebuild': rebuild,
        ...Object.fromEntries(moved.map(([name, minute]) => [`:${name}`, minute])),
      },
    },
  );
  return updated !== undefined;
}

/** False if the token is another. 1 WRU. */
export async function resetShard(
  db: Database,
  shard: number,
  token: string,
  { dispatchedUntil, settledUntil }: Pick<Shard, 'dispatchedUntil' | 'settledUntil'>,
): Promise<boolean> {
  const updated = await db.update(
    { operation: 'resetShard', table },
    {
      Key: shardKey(shard),
      UpdateExpression: 'SET dispatchedUntil = :dispatchedUntil, settledUntil = :settledUntil',
      ConditionExpression: '#token = :token',
      ExpressionAttributeNames: { '#token': 'token' },
      ExpressionAttributeValues: {
        ':token': token,
        ':dispatchedUntil': dispatchedUntil,
        ':settledUntil': settledUntil,
      },
    },
  );
  return updated !== undefined;
}

/** 1 WRU per KB, about 1 per 15 running executions. */
export async function putWorker(db: Database, worker: WorkerRow): Promise<void> {
  await db.put(
    { operation: 'putWorker', table },
    {
      Item: {
        pk: `${WORKER}${worker.workerId}`,
        ...worker,
        expiresAt: seconds(worker.beatAt + WORKER_KEPT_MS),
      },
    },
  );
}

/** 1 WRU. */
export async function removeWorker(db: Database, workerId: string): Promise<void> {
  await db.remove({ operation: 'removeWorker', table }, { Key: { pk: `${WORKER}${workerId}` } });
}

/** 0.5 RRU per 4 KB. */
export async function readWorker(db: Database, workerId: string): Promise<WorkerRow | undefined> {
  const item = await db.get({ operation: 'readWorker', table }, { pk: `${WORKER}${workerId}` });
  return item && workerFromItem(item);
}

/** Rows that one page of a limited scan looks at: 0.5 to 2 RRU with ordinary rows of shards and workers. */
const LIMITED_PAGE = 50;

/**
 * Scans the table, which has only shards and workers: 0.5 RRU per 4 KB. With `limit` the scan ends at the page on which that
 * many workers are found.
 */
export async function listWorkers(
  db: Database,
  since: number,
  limit = Number.POSITIVE_INFINITY,
): Promise<WorkerRow[]> {
  const found: WorkerRow[] = [];
  let last: Item | undefined;
  do {
    const page = await db.scan(
      { operation: 'listWorkers', table },
      {
        FilterExpression: 'begins_with(pk, :worker) AND beatAt >= :since',
        ExpressionAttributeValues: { ':worker': WORKER, ':since': since },
        ExclusiveStartKey: last,
        ...(Number.isFinite(limit) && { Limit: LIMITED_PAGE }),
      },
    );
    found.push(...page.items.map(workerFromItem));
    last = page.last;
  } while (last && found.length < limit);
  return found.slice(0, limit);
}

function workerFromItem(item: Item): WorkerRow {
  const { pk: _pk, expiresAt: _expiresAt, ...worker } = item;
  return worker as unknown as WorkerRow;
}
