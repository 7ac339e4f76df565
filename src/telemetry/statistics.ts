// The port to the counts of executions over time. The implementations are `in-process/` for a server of one process, and
// `cloudwatch/`. Both have the numbers that workers report as metrics.

/** Lengths of a bucket that CloudWatch has as a period, by their ISO 8601 durations. */
export const BUCKETS = {
  PT1M: 60_000,
  PT5M: 300_000,
  PT15M: 900_000,
  PT1H: 3_600_000,
  P1D: 86_400_000,
} as const;
export type BucketLength = keyof typeof BUCKETS;

/** The counts of executions, as workers report them. */
export const COUNTS = ['started', 'succeeded', 'failed', 'skipped', 'cancelled', 'retried'] as const;
export type Counts = Readonly<Record<(typeof COUNTS)[number], number>>;

export interface Bucket extends Counts {
  /** The start of the bucket. Epoch milliseconds. */
  readonly at: number;
  /** The average number of running executions. Undefined if no worker has reported it. */
  readonly running?: number;
  /** The start minus the fire time of first attempts. Undefined if none started. */
  readonly latenessMs?: { readonly p50: number; readonly p99: number };
}

/** `from` and `to` are multiples of the bucket. */
export interface StatisticsQuery {
  readonly from: number;
  readonly to: number;
  readonly bucket: BucketLength;
}

export interface Statistics {
  /** Nothing is known of the time before. Epoch milliseconds. */
  since(now: number, bucket: BucketLength): number;
  /** Oldest first. Buckets without any number are left out. */
  read(query: StatisticsQuery): Promise<Bucket[]>;
}

export const NO_COUNTS: Counts = Object.fromEntries(COUNTS.map((name) => [name, 0])) as unknown as Counts;
