// Lists of a user's items. Each index partition of the user is a sorted stream. The streams are merged, newest first.
import { hash } from '../domain/hash.ts';

/**
 * The default and minimum number of index partitions per user. Several partitions keep one large tenant from overloading one,
 * because a throttled index throttles its table. A deployment may have more (docs/decisions/0041).
 */
export const INDEX_PARTITIONS = 4;
/** A page of a list reads every partition, at 0.5 RRU each. */
export const MAX_INDEX_PARTITIONS = 256;

/** The index partition of one job: `<userId>#<k>`. */
export const ownerOf = (userId: string, jobId: string, partitions = INDEX_PARTITIONS): string =>
  `${userId}#${hash(jobId) % partitions}`;
export const userOf = (owner: string): string => owner.slice(0, owner.lastIndexOf('#'));
export const ownersOf = (userId: string, partitions = INDEX_PARTITIONS): string[] =>
  Array.from({ length: partitions }, (_, k) => `${userId}#${k}`);

export interface Keyed<T> {
  /** Unique over all streams. */
  readonly sortKey: string;
  readonly value: T;
}

/** Up to `count` items of one partition before `before`, newest first. `more`: there may be others. */
export type ReadStream<T> = (
  owner: string,
  before: string | undefined,
  count: number,
) => Promise<{ items: Keyed<T>[]; more: boolean }>;

interface Stream<T> {
  readonly owner: string;
  before: string | undefined;
  buffer: Keyed<T>[];
  more: boolean;
}

/**
 * The newest `limit` items before `before`, and whether there are others. Reads at most `limit` items and one chunk per
 * stream. A chunk is larger than a stream's share of the page, so most streams are read once.
 */
export async function newestFirst<T>(
  owners: readonly string[],
  before: string | undefined,
  limit: number,
  read: ReadStream<T>,
): Promise<{ items: Keyed<T>[]; more: boolean }> {
  const chunk = Math.min(limit + 1, Math.ceil((limit / owners.length) * 1.5) + 2);
  const streams = owners.map((owner): Stream<T> => ({ owner, before, buffer: [], more: true }));
  const items: Keyed<T>[] = [];
  for (;;) {
    await Promise.all(streams.map((stream) => refill(stream, chunk, read)));
    const newest = streams.reduce((a, b) => (headOf(b) > headOf(a) ? b : a));
    const item = newest.buffer[0];
    if (item === undefined) return { items, more: false };
    if (items.length === limit) return { items, more: true };
    newest.buffer.shift();
    // An item that moves to another partition may be in both for a moment.
    if (items.at(-1)?.sortKey !== item.sortKey) items.push(item);
  }
}

const headOf = <T>(stream: Stream<T>): string => stream.buffer[0]?.sortKey ?? '';

async function refill<T>(stream: Stream<T>, chunk: number, read: ReadStream<T>): Promise<void> {
  if (stream.buffer.length > 0 || !stream.more) return;
  const { items, more } = await read(stream.owner, stream.before, chunk);
  stream.buffer = items;
  stream.more = more && items.length > 0;
  stream.before = items.at(-1)?.sortKey;
}
