// The seats of concurrency keys, in the table of jobs and outside its index.
import type { KeyName, Seat } from '../../domain/jobs/concurrency-key.ts';
import { type Item, seatExpiresAt } from '../items.ts';
import type { ReadOptions } from '../store.ts';
import type { Database } from './database.ts';

const table = 'jobs';
const PART = 'seat#';

export const partitionOf = ({ owner, key }: KeyName): string => `limit#${owner}#${key}`;
const keyOf = (seat: Seat) => ({ jobId: partitionOf(seat), part: `${PART}${seat.n}` });

/** `jobId` is the name of the partition key, so the job of the execution is `job`. */
const executionOf = ({ jobId, due, number }: Seat): Item => ({ job: jobId, due, number });

/** One page: the seats of a key have 15 KB at most. */
export async function readSeats(db: Database, name: KeyName, { consistent }: ReadOptions): Promise<Seat[]> {
  const { items } = await db.query(
    { operation: 'readSeats', table },
    {
      KeyConditionExpression: 'jobId = :partition AND begins_with(part, :seat)',
      ExpressionAttributeValues: { ':partition': partitionOf(name), ':seat': PART },
      ConsistentRead: consistent || undefined,
    },
  );
  return items.map((item) => seatFromItem(name, item)).sort((a, b) => a.n - b.n);
}

const seatFromItem = ({ owner, key }: KeyName, item: Item): Seat => ({
  ...{ owner, key, n: Number(String(item.part).slice(PART.length)) },
  ...{ jobId: String(item.job), due: String(item.due), number: Number(item.number) },
});

/** 1 WRU. */
export function writeSeat(db: Database, seen: Seat | undefined, seat: Seat): Promise<boolean> {
  const on = { operation: 'writeSeat', table } as const;
  const key = keyOf(seat);
  const item = { ...executionOf(seat), expiresAt: seatExpiresAt(seat) };
  return seen
    ? db.change(on, { key, change: item, where: executionOf(seen) })
    : db.insert(on, { key, item: { ...key, ...item } });
}
