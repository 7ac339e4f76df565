// The counts of all executions over time, for operators.
import { InvalidInput } from '../domain/errors.ts';
import { lengthText } from '../domain/length-text.ts';
import type { Principal } from '../domain/principal.ts';
import type { StatisticsView } from '../domain/views/statistics-views.ts';
import { requireOperator } from '../jobs/access.ts';
import type { Context } from '../scheduling/context.ts';
import { NotKept } from '../telemetry/source-unavailable.ts';
import { BUCKETS, type Bucket, type BucketLength, NO_COUNTS } from '../telemetry/statistics.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';

export const MAX_BUCKETS = 1_440;
/** Without `bucket`, the shortest one with at most this many buckets is taken. */
const MANY_BUCKETS = 200;
const DEFAULT_RANGE_MS = 3_600_000;

export interface StatsQuery {
  readonly from?: number;
  readonly to?: number;
  readonly bucket?: BucketLength;
}

/** No read of a table. */
export async function getStatistics(
  { clock }: Context,
  { statistics }: Telemetry,
  who: Principal,
  query: StatsQuery,
): Promise<StatisticsView> {
  requireOperator(who, 'GET /stats');
  if (!statistics)
    throw new NotKept('this server has no statistics: they are counted by the processes of its workers');
  const now = clock.now();
  const { from, to, bucket } = rangeOf(query, now);
  const bucketMs = BUCKETS[bucket];
  const since = statistics.since(now, bucket);
  const found = new Map((await statistics.read({ from, to, bucket })).map((one) => [one.at, one]));
  const items: StatisticsView['items'] = [];
  for (let at = from; at < to; at += bucketMs)
    if (at + bucketMs > since) items.push(viewOf(found.get(at) ?? { at, ...NO_COUNTS }));
  return { from: iso(from), to: iso(to), bucket, since: iso(since), items };
}

/** The range in whole buckets. It ends with the present bucket at the latest. */
function rangeOf(query: StatsQuery, now: number): { from: number; to: number; bucket: BucketLength } {
  const end = Math.min(query.to ?? now, now);
  const begin = query.from ?? end - DEFAULT_RANGE_MS;
  if (begin >= end) {
    const [path, given, bound] =
      query.to !== undefined && query.to <= now
        ? ['to', query.to, `after from (${iso(begin)})`]
        : ['from', begin, `before ${query.to === undefined ? 'now' : 'to and before now'} (${iso(end)})`];
    throw new InvalidInput([{ path, message: `must be ${bound}, got ${iso(given)}` }]);
  }
  const lengths = Object.keys(BUCKETS) as BucketLength[];
  const count = (bucket: BucketLength) => Math.ceil((end - begin) / BUCKETS[bucket]);
  const fitting = lengths.filter((bucket) => count(bucket) <= MAX_BUCKETS);
  const bucket = query.bucket ?? lengths.find((one) => count(one) <= MANY_BUCKETS) ?? 'P1D';
  if (!fitting.includes(bucket)) {
    const [shortest] = fitting;
    const [path, allowed] =
      shortest === undefined
        ? ['from', `at most ${MAX_BUCKETS} days before to`]
        : ['bucket', `${shortest} or longer for a range of ${lengthText(end - begin)}`];
    const got = shortest === undefined ? iso(begin) : bucket;
    throw new InvalidInput([{ path, message: `must be ${allowed} (${MAX_BUCKETS} buckets), got ${got}` }]);
  }
  const bucketMs = BUCKETS[bucket];
  return {
    from: Math.floor(begin / bucketMs) * bucketMs,
    to: Math.ceil(end / bucketMs) * bucketMs,
    bucket,
  };
}

const viewOf = ({ at, running, latenessMs, ...counts }: Bucket): StatisticsView['items'][number] => ({
  ...{ at: iso(at), ...counts },
  ...(running !== undefined && { running: rounded(running) }),
  ...(latenessMs && { latenessMs: { p50: rounded(latenessMs.p50), p99: rounded(latenessMs.p99) } }),
});

const rounded = (value: number): number => Math.round(value * 10) / 10;
const iso = (time: number): string => new Date(time).toISOString();
