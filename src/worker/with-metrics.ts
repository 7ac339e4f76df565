// Metrics of executions, derived from the rows that a worker writes: lateness, and the number of executions by status.

import { dueAtOf, executionId } from '../domain/executions/ids.ts';
import { isTerminal, type Row, type TerminalStatus } from '../domain/executions/row.ts';
import type { MetricName, Metrics } from '../runtime/metrics.ts';
import type { Context } from '../scheduling/context.ts';
import { handleMessage } from '../scheduling/running/handle-message.ts';
import { observeRows } from '../store/observe-rows.ts';
import type { HandleMessage } from './worker.ts';

const METRIC_OF: Record<TerminalStatus, MetricName> = {
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  SKIPPED: 'Skipped',
  CANCELLED: 'Cancelled',
};

/** A context and a message handler that report metrics. */
export function withMetrics(
  context: Context,
  metrics: Metrics,
): { context: Context; handleMessage: HandleMessage } {
  /** Fire times by execution. With jitter, an execution fires later than it is due. */
  const fireTimes = new Map<string, number>();

  const after = (row: Row): void => {
    if (isTerminal(row.status)) metrics.add(METRIC_OF[row.status], 1);
    if (row.status === 'RETRYING') metrics.add('Retried', 1);
    if (row.attempt !== 1 || row.startedAt === undefined || row.status === 'RUNNING') return;
    const firesAt = fireTimes.get(executionId(row.jobId, row.due)) ?? dueAtOf(row.due);
    metrics.add('Lateness', row.startedAt - firesAt);
  };
  return {
    context: { ...context, store: observeRows(context.store, { after }) },
    async handleMessage(own, worker, received) {
      const { message } = received;
      const id = message && executionId(message.jobId, message.due);
      if (message && id !== undefined) fireTimes.set(id, message.fireAt);
      try {
        await handleMessage(own, worker, received);
      } finally {
        if (id !== undefined) fireTimes.delete(id);
      }
    },
  };
}
