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
  /** How far a machine's clock is off from the clock of AWS, beyond what the comparison cannot tell. */
  ClockOffset: MetricUnit.Milliseconds,
  /** Executions due in the busiest of the next minutes, and in their busiest second. */
  DuePerMinute: MetricUnit.Count,
  DuePerSecond: MetricUnit.CountPerSecond,
  /** Executions due in the minute that begins in so many, by `minute`. */
  DueInMinutes: MetricUnit.Count,
  /** DynamoDB's units, which are what is paid for, by the `runtime` that used them. */
  WriteUnits: MetricUnit.Count,
  ReadUnits: MetricUnit.Count,
} as const;
export type MetricName = keyof typeof UNITS;

export const METRIC_NAMES = Object.keys(UNITS) as MetricName[];
export const NAMESPACE = 'Punctual';
/** On every metric; its value is the deployment: `punctual-dev`. */
export const DIMENSION = 'service';

/** Values of `minute`, however long the horizon. */
export const MINUTES_SHOWN = 5;
/** Values of `runtime`: who uses nearly all units. */
export const RUNTIMES = ['worker', 'watcher'] as const;

export interface Metrics {
  /** With `by`, it is a metric of its own per value of that: few values, and a line of the log each time. */
  add(name: MetricName, value: number, by?: Readonly<Record<string, string>>): void;
  /** Writes what has been added. */
  flush(): void;
}

export const NO_METRICS: Metrics = { add() {}, flush() {} };

/** What a deployment is called in its metrics. */
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

/** Adds up the units that a runtime uses, for a line or two every minute. */
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

  /** And begins anew. */
  report(metrics: Metrics): void {
    metrics.add('WriteUnits', this.#write, { runtime: this.#runtime });
    metrics.add('ReadUnits', this.#read, { runtime: this.#runtime });
    this.#write = 0;
    this.#read = 0;
  }
}
