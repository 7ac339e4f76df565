// The port to the log lines of executions that a server of one process keeps itself: `sqlite/log-lines.ts` and
// `memory/memory-log-lines.ts`. On AWS, the lines are in CloudWatch Logs (src/telemetry/cloudwatch).
import type { EncodedLine } from '../domain/executions/log-line.ts';
import type { ExecutionKey } from './store.ts';

/** Lines have numbers, which grow within an execution. */
export interface StoredLine {
  readonly n: number;
  readonly record: string;
}

export interface LogLineStore {
  /** Appends lines, and removes all but the last `MAX_LINES` lines and `MAX_LINES_BYTES` bytes of the execution. */
  appendLines(key: ExecutionKey, owner: string, lines: readonly EncodedLine[]): Promise<void>;
  /** At most `limit` lines with a number above `after`, oldest first. */
  readLines(key: ExecutionKey, after: number, limit: number): Promise<StoredLine[]>;
}
