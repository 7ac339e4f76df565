// The words of an execution.
import type { Execution } from '../../../src/client/types.ts';

export const TRIGGER_TEXTS: Readonly<Record<Execution['trigger'], string>> = {
  schedule: 'Schedule',
  manual: 'Run now',
  backfill: 'Backfill',
  redrive: 'Retry or redrive',
};

/** The statuses from which `POST /executions/{id}/retry` runs an execution again. */
const RETRYABLE: readonly Execution['status'][] = ['failed', 'cancelled', 'skipped'];
const CANCELLABLE: readonly Execution['status'][] = ['queued', 'running', 'retrying'];

export const canRetry = ({ status }: Pick<Execution, 'status'>): boolean => RETRYABLE.includes(status);
export const canCancel = ({ status, stopping }: Pick<Execution, 'status' | 'stopping'>): boolean =>
  CANCELLABLE.includes(status) && stopping === undefined;

interface Neighbour {
  readonly id: string;
}

/** The executions before and after one in a list that is newest first. Undefined at the ends, and if the list has it not. */
export function neighboursOf(
  list: readonly Neighbour[],
  id: string,
): { readonly previous?: string | undefined; readonly next?: string | undefined } {
  const at = list.findIndex((execution) => execution.id === id);
  return at < 0 ? {} : { previous: list[at + 1]?.id, next: list[at - 1]?.id };
}
