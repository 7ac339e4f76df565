// The port to the log lines of executions. The implementations are `stored/` for a server of one process, and `cloudwatch/`.
import type { LogLine } from '../domain/executions/log-line.ts';
import type { ExecutionKey } from '../store/store.ts';

/** Takes the lines of tasks. Returns at once and never throws, because a task must not wait for its log. */
export interface LineRecorder {
  record(key: ExecutionKey, owner: string, line: LogLine): void;
}

export interface LogQuery {
  readonly limit: number;
  /** The id of a line, to read the lines after it, or `nextCursor` of the page before. */
  readonly cursor?: string;
  /** The first start of the execution, and its end. Epoch milliseconds. No end if it has not ended. */
  readonly startedAt: number;
  readonly finishedAt?: number;
}

export interface LogPage {
  /** Oldest first. Ids are unique within an execution. */
  readonly items: readonly (LogLine & { readonly id: string })[];
  /** Absent if there are no more lines now. */
  readonly nextCursor?: string;
}

export interface ExecutionLogs {
  /** Lines that were written longer ago than this can be read. */
  readonly delayMs: number;
  read(key: ExecutionKey, query: LogQuery): Promise<LogPage>;
}
