// The log lines of the executions that have logged last, in memory. They are lost at a restart.

import { executionId } from '../../domain/executions/ids.ts';
import { dropOldest, type EncodedLine } from '../../domain/executions/log-line.ts';
import type { LogLineStore } from '../log-lines.ts';

interface Kept {
  readonly lines: EncodedLine[];
  bytes: number;
  /** The number of the last line. */
  last: number;
}

/** Executions whose lines are kept: at most 13 MB. */
const MAX_EXECUTIONS = 200;

export function createMemoryLogLines(maxExecutions = MAX_EXECUTIONS): LogLineStore {
  const executions = new Map<string, Kept>();
  return {
    async appendLines({ jobId, due }, _owner, lines) {
      if (lines.length === 0) return;
      const id = executionId(jobId, due);
      const kept = executions.get(id) ?? { lines: [], bytes: 0, last: 0 };
      kept.lines.push(...lines);
      kept.last += lines.length;
      kept.bytes = dropOldest(
        kept.lines,
        lines.reduce((sum, { bytes }) => sum + bytes, kept.bytes),
      );
      executions.delete(id);
      executions.set(id, kept);
      for (const oldest of executions.keys()) {
        if (executions.size <= maxExecutions) break;
        executions.delete(oldest);
      }
    },
    async readLines({ jobId, due }, after, limit) {
      const { lines, last } = executions.get(executionId(jobId, due)) ?? { lines: [], last: 0 };
      const first = last - lines.length + 1;
      return lines
        .map(({ record }, i) => ({ n: first + i, record }))
        .filter(({ n }) => n > after)
        .slice(0, limit);
    },
  };
}
