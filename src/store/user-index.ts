// Lists over a user's items: the user's partitions of an index are sorted streams, merged newest first.
import { hash } from '../domain/hash.ts';

/**
 * The default, and the least, number of partitions that each user has in an index. One large tenant must not heat one
 * partition, because a throttled index throttles its table. A store may be opened with more than its items were written
 * with. Lists of a store with fewer would miss the items in the other partitions.
 */
export const INDEX_PARTITIONS = 4;

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

/** Up to `count` items of one partition, newest first, all of them before `before`; `more` if there may be others. */
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
 * stream: a chunk is somewhat more than a stream's share, so that mostly each is read once.
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
    items.push(item);
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
