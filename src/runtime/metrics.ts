// Metrics in CloudWatch's embedded metric format, which turns log lines into metrics. Users and jobs are never dimensions,
// because every value of a dimension is billed as a metric.
import { MetricUnit, Metrics as Powertools } from '@aws-lambda-powertools/metrics';

const UNITS = {
  /** Start time minus fire time of first attempts. */
  Lateness: MetricUnit.Milliseconds,
  /** The lag of the slowest shard's dispatch behind the horizon after a pass. */
  DispatchLag: MetricUnit.Seconds,
  Dispatched: MetricUnit.Count,
  /** Messages that settle sent again, because a message was lost or a worker died. */
  SettleCorrections: MetricUnit.Count,
  Succeeded: MetricUnit.Count,
  Failed: MetricUnit.Count,
  Skipped: MetricUnit.Count,
  Cancelled: MetricUnit.Count,
  Retried: MetricUnit.Count,
  /** 1 per worker and minute. The sum is the number of workers. */
  Workers: MetricUnit.Count,
  Running: MetricUnit.Count,
  /** The offset of a machine's clock from AWS's clock, less the uncertainty of the comparison. */
  ClockOffset: MetricUnit.Milliseconds,
  /** Executions due in the busiest minute of the look-ahead, and in its busiest second. */
  DuePerMinute: MetricUnit.Count,
  DuePerSecond: MetricUnit.CountPerSecond,
  /** Executions due in the minute that begins in `minute` minutes. */
  DueInMinutes: MetricUnit.Count,
  /** DynamoDB's billed units, by `runtime`. */
  WriteUnits: MetricUnit.Count,
  ReadUnits: MetricUnit.Count,
  /** 1 if the canary could create a job and its job before has run, else 0. */
  CanarySucceeded: MetricUnit.Count,
  /** The lateness of the canary's job. */
  CanaryLateness: MetricUnit.Milliseconds,
} as const;
export type MetricName = keyof typeof UNITS;

export const METRIC_NAMES = Object.keys(UNITS) as MetricName[];
export const NAMESPACE = 'Punctual';
/** The dimension of every metric. Its value is the deployment, such as `punctual-dev`. */
export const DIMENSION = 'service';

/** The number of values of `minute`, also with a longer horizon. */
export const MINUTES_SHOWN = 5;
/** The values of `runtime`. These use nearly all units. */
export const RUNTIMES = ['worker', 'watcher'] as const;

export interface Metrics {
  /** `by` adds a dimension. Each value is a metric of its own, and each call writes a log line. */
  add(name: MetricName, value: number, by?: Readonly<Record<string, string>>): void;
  /** Writes the added values. */
  flush(): void;
}

export const NO_METRICS: Metrics = { add() {}, flush() {} };

/** The name of a deployment in its metrics. */
export const deploymentOf = (prefix: string): string => prefix.replace(/-$/, '') || 'punctual';

export function createMetrics(prefix: string): Metrics {
  const metrics = new Powertools({ namespace: NAMESPACE, serviceName: deploymentOf(prefix) });
  return {
    add(name, value, by) {
      if (by === undefined) metrics.addMetric(name, UNITS[name], value);
      else metrics.singleMetric().addDimensions(by).addMetric(name, UNITS[name], value);
    },
    flush() {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
}

/** Sums the units that a runtime uses, so that they are written once a minute. */
export class Units {
  readonly #runtime: (typeof RUNTIMES)[number];
  #write = 0;
  #read = 0;

  constructor(runtime: (typeof RUNTIMES)[number]) {
    this.#runtime = runtime;
  }

  readonly meter = (
    _operation: string,
    _table: string,
    units: { readonly read: number; readonly write: number },
  ): void => {
    this.#write += units.write;
    this.#read += units.read;
  };

  /** Resets the sums. */
  report(metrics: Metrics): void {
    metrics.add('WriteUnits', this.#write, { runtime: this.#runtime });
    metrics.add('ReadUnits', this.#read, { runtime: this.#runtime });
    this.#write = 0;
    this.#read = 0;
  }
}
