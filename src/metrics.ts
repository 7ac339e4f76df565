// What is measured while the system runs, in CloudWatch's embedded metric format: a line of the log becomes a metric. No
// user and no job is ever a dimension: every value of a dimension is a metric that costs.
import { MetricUnit, Metrics as Powertools } from '@aws-lambda-powertools/metrics';

const UNITS = {
  /** Start minus fire time, of first attempts. */
  Lateness: MetricUnit.Milliseconds,
  /** How far the slowest shard's dispatch is behind the horizon after a pass. */
  DispatchLag: MetricUnit.Seconds,
  Dispatched: MetricUnit.Count,
  /** Messages that settle had to send again: lost ones, dead workers. */
  SettleCorrections: MetricUnit.Count,
  Succeeded: MetricUnit.Count,
  Failed: MetricUnit.Count,
  Skipped: MetricUnit.Count,
  Cancelled: MetricUnit.Count,
  Retried: MetricUnit.Count,
  /** 1 per worker and minute: their sum is how many there are. */
  Workers: MetricUnit.Count,
  Running: MetricUnit.Count,
  /** Executions due in the busiest of the next minutes, and in their busiest second. */
  DuePerMinute: MetricUnit.Count,
  DuePerSecond: MetricUnit.CountPerSecond,
} as const;
export type MetricName = keyof typeof UNITS;

export const METRIC_NAMES = Object.keys(UNITS) as MetricName[];
export const NAMESPACE = 'Punctual';
/** The only dimension; its value is the deployment: `punctual-dev`. */
export const DIMENSION = 'service';

export interface Metrics {
  add(name: MetricName, value: number): void;
  /** Writes what has been added. */
  flush(): void;
}

export const NO_METRICS: Metrics = { add() {}, flush() {} };

/** What a deployment is called in its metrics. */
export const deploymentOf = (prefix: string): string => prefix.replace(/-$/, '') || 'punctual';

export function createMetrics(prefix: string): Metrics {
  const metrics = new Powertools({ namespace: NAMESPACE, serviceName: deploymentOf(prefix) });
  return {
    add: (name, value) => metrics.addMetric(name, UNITS[name], value),
    flush() {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
}
