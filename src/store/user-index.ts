// Lists over a user's items: the user's partitions of an index are sorted streams, merged newest first.
import { hash } from '../domain/ids.ts';

/**
 * One huge tenant must not heat one partition of an index, because a throttled index throttles its table: each user has
 * this many partitions. Must never change: lists would miss what stands in the others.
 */
export const INDEX_PARTITIONS = 4;

/** The index partition of one job: `<userId>#<k>`. */
export const ownerOf = (userId: string, jobId: string): string =>
  `${userId}#${hash(jobId) % INDEX_PARTITIONS}`;
export const userOf = (owner: string): string => owner.slice(0, owner.lastIndexOf('#'));
export const ownersOf = (userId: string): string[] =>
  Array.from({ length: INDEX_PARTITIONS }, (_, k) => `${userId}#${k}`);

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
  userId: string,
  before: string | undefined,
  limit: number,
  read: ReadStream<T>,
): Promise<{ items: Keyed<T>[]; more: boolean }> {
  const chunk = Math.min(limit + 1, Math.ceil((limit / INDEX_PARTITIONS) * 1.5) + 2);
  const streams = ownersOf(userId).map((owner): Stream<T> => ({ owner, before, buffer: [], more: true }));
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
