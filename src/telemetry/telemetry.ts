// The data about executions that the API shows besides their rows: log lines and statistics.
import type { ExecutionLogs } from './execution-logs.ts';
import type { Statistics } from './statistics.ts';

export interface Telemetry {
  /** Undefined if this server cannot read the log lines of its workers. */
  readonly logs?: ExecutionLogs;
  /** Undefined if this server cannot read the counts of its workers. */
  readonly statistics?: Statistics;
}
