// The counts of executions from the metrics that workers publish (src/runtime/metrics.ts). One call reads all of them.
import type { CloudWatchClient, MetricDataQuery, MetricDataResult } from '@aws-sdk/client-cloudwatch';
import { LRUCache } from 'lru-cache';
import { unavailable } from '../source-unavailable.ts';
import {
  BUCKETS,
  type Bucket,
  type BucketLength,
  type Counts,
  NO_COUNTS,
  type Statistics,
  type StatisticsQuery,
} from '../statistics.ts';

export interface CloudWatchStatisticsOptions {
  client(): Promise<CloudWatchClient>;
  readonly namespace: string;
  /** The dimension of the metrics of this deployment. */
  readonly dimension: { readonly name: string; readonly value: string };
  /** Milliseconds that never jump. */
  monotonic(): number;
}

/** A query is sent at most once in this time by one process. Workers report once a minute. */
export const STATISTICS_CACHED_MS = 60_000;
/** A failed query is repeated after this time. */
const FAILURE_CACHED_MS = 5_000;
const MAX_CACHED = 50;
/** Responses of one query. 1,440 buckets of all metrics fit into one. */
const MAX_RESPONSES = 5;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** How long CloudWatch keeps data points, by their period. */
const KEPT_DAYS: Readonly<Record<BucketLength, number>> = {
  PT1M: 15,
  PT5M: 63,
  PT15M: 63,
  PT1H: 455,
  P1D: 455,
};

/** The id of each query, with its metric and statistic. */
const SERIES = {
  started: ['Lateness', 'SampleCount'],
  succeeded: ['Succeeded', 'Sum'],
  failed: ['Failed', 'Sum'],
  skipped: ['Skipped', 'Sum'],
  cancelled: ['Cancelled', 'Sum'],
  retried: ['Retried', 'Sum'],
  running: ['Running', 'Sum'],
  p50: ['Lateness', 'p50'],
  p99: ['Lateness', 'p99'],
} as const satisfies Record<keyof Counts | 'running' | 'p50' | 'p99', readonly [string, string]>;
type SeriesName = keyof typeof SERIES;

export function createCloudWatchStatistics(options: CloudWatchStatisticsOptions): Statistics {
  const answers = new LRUCache<string, Promise<Bucket[]>>({
    max: MAX_CACHED,
    ttl: STATISTICS_CACHED_MS,
    perf: { now: options.monotonic },
    ttlResolution: 0,
  });

  async function query({ from, to, bucket }: StatisticsQuery): Promise<Bucket[]> {
    const { GetMetricDataCommand } = await import('@aws-sdk/client-cloudwatch');
    const cloudWatch = await options.client();
    const results: MetricDataResult[] = [];
    let NextToken: string | undefined;
    for (let responses = 0; responses < MAX_RESPONSES; responses++) {
      const answer = await cloudWatch.send(
        new GetMetricDataCommand({
          StartTime: new Date(from),
          EndTime: new Date(to),
          ScanBy: 'TimestampAscending',
          MetricDataQueries: queriesOf(options, BUCKETS[bucket] / 1000),
          NextToken,
        }),
      );
      results.push(...(answer.MetricDataResults ?? []));
      NextToken = answer.NextToken;
      if (NextToken === undefined) break;
    }
    return bucketsOf(results, BUCKETS[bucket]);
  }

  return {
    since: (now, bucket) => now - KEPT_DAYS[bucket] * DAY_MS,
    read(asked) {
      const key = `${asked.from} ${asked.to} ${asked.bucket}`;
      const cached = answers.get(key);
      if (cached) return cached;
      const read: Promise<Bucket[]> = query(asked).catch((error: unknown) => {
        answers.set(key, read, { ttl: FAILURE_CACHED_MS });
        throw unavailable(error, 'CloudWatch', 'cloudwatch:GetMetricData') ?? error;
      });
      answers.set(key, read);
      return read;
    },
  };
}

const queriesOf = (
  { namespace, dimension }: CloudWatchStatisticsOptions,
  periodSeconds: number,
): MetricDataQuery[] =>
  Object.entries(SERIES).map(([Id, [MetricName, Stat]]) => ({
    Id,
    MetricStat: {
      Metric: {
        Namespace: namespace,
        MetricName,
        Dimensions: [{ Name: dimension.name, Value: dimension.value }],
      },
      Period: periodSeconds,
      Stat,
    },
  }));

/** A metric without a data point in a bucket counts as 0 there. */
function bucketsOf(results: readonly MetricDataResult[], bucketMs: number): Bucket[] {
  const byTime = new Map<number, Partial<Record<SeriesName, number>>>();
  for (const { Id = '', Timestamps = [], Values = [] } of results) {
    for (const [i, time] of Timestamps.entries()) {
      const at = time.getTime();
      byTime.set(at, { ...byTime.get(at), [Id]: Values[i] ?? 0 });
    }
  }
  return [...byTime]
    .sort(([a], [b]) => a - b)
    .map(([at, { running, p50, p99, ...counts }]) => ({
      ...{ at, ...NO_COUNTS, ...counts },
      // each worker reports once a minute, so the sum of a longer bucket has each execution once per minute
      ...(running !== undefined && { running: running / (bucketMs / MINUTE_MS) }),
      ...(p50 !== undefined && p99 !== undefined && { latenessMs: { p50, p99 } }),
    }));
}
