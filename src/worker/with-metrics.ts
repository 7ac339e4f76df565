// Metrics of executions, derived from the rows that a worker writes: lateness, and the number of executions by status.

import { dueAtOf } from '../domain/executions/ids.ts';
import { isTerminal, type Row, type TerminalStatus } from '../domain/executions/row.ts';
import type { MetricName, Metrics } from '../runtime/metrics.ts';
import type { Context } from '../scheduling/context.ts';
import { observeRows } from '../store/observe-rows.ts';

const METRIC_OF: Record<TerminalStatus, MetricName> = {
  SUCCEEDED: 'Succeeded',
  FAILED: 'Failed',
  SKIPPED: 'Skipped',
  CANCELLED: 'Cancelled',
};

/** A context that reports metrics. */
export function withMetrics(context: Context, metrics: Metrics): Context {
  const after = (row: Row): void => {
    const { status, attempt, startedAt } = row;
    const failed = hasFailed(row);
    if (isTerminal(status)) metrics.add(METRIC_OF[status], 1);
    if (failed) metrics.add('Retried', 1);
    if (attempt === 1 && startedAt !== undefined && (failed || isTerminal(status)))
      metrics.add('Lateness', latenessOf(row, startedAt));
  };
  return { ...context, store: observeRows(context.store, { after }) };
}

/** Whether the row records a failed attempt that is followed by another one. An interrupted attempt is not kept. */
const hasFailed = ({ status, error, attempts, startedAt }: Row): boolean =>
  status === 'RETRYING' && error !== undefined && attempts?.at(-1)?.startedAt === startedAt;

/** The lateness as the API shows it, except for a redrive: its lateness counts from its request. */
function latenessOf(row: Row, startedAt: number): number {
  const { trigger, enqueuedAt = startedAt, firstStartedAt = startedAt, fireAt = dueAtOf(row.due) } = row;
  return trigger === 'redrive' ? startedAt - enqueuedAt : firstStartedAt - fireAt;
}
