// Measures what a worker does by what it writes into the ledger: how late an execution began, and how it ended.

import { dueAtOf, executionId } from '../domain/executions/ids.ts';
import { isTerminal, type Row, type TerminalStatus } from '../domain/executions/row.ts';
import type { MetricName, Metrics } from '../runtime/metrics.ts';
import type { Context } from '../scheduling/context.ts';
import { handleMessage } from '../scheduling/running/handle-message.ts';
import type { HandleMessage } from './worker.ts';

const ENDS: Record<TerminalStatus, MetricName> = {
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  SKIPPED: 'Skipped',
  CANCELLED: 'Cancelled',
};

/** The context and the use case to start a worker with. */
export function withMetrics(
  context: Context,
  metrics: Metrics,
): { context: Context; handleMessage: HandleMessage } {
  const { store } = context;
  /** With jitter, what is due and when it fires are not the same. */
  const fireTimes = new Map<string, number>();

  const written = (row: Row): void => {
    if (isTerminal(row.status)) metrics.add(ENDS[row.status], 1);
    if (row.status === 'RETRYING') metrics.add('Retried', 1);
    if (row.attempt !== 1 || row.startedAt === undefined || row.status === 'RUNNING') return;
    const firesAt = fireTimes.get(executionId(row.jobId, row.due)) ?? dueAtOf(row.due);
    metrics.add('Lateness', row.startedAt - firesAt);
  };
  const measuredStore: Context['store'] = {
    ...store,
    async insertRow(row) {
      const done = await store.insertRow(row);
      if (done) written(row);
      return done;
    },
    async updateRow(seen, row) {
      const done = await store.updateRow(seen, row);
      if (done) written(row);
      return done;
    },
  };
  return {
    context: { ...context, store: measuredStore },
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
