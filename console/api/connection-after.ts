// The state of the connection that the errors of reads show.
import { PunctualApiError, PunctualNetworkError } from '../../src/client/errors.ts';

export interface Connection {
  /** `slow`: the server answered 429 or 503. `offline`: there was no response. */
  readonly state: 'online' | 'slow' | 'offline';
  /** The time of the oldest data that are shown, in epoch milliseconds. Undefined if nothing was read. */
  readonly dataAt: number | undefined;
}

interface Read {
  readonly error: unknown;
  /** The time of its last success, in epoch milliseconds. 0 before the first. */
  readonly dataUpdatedAt: number;
}

/** The state of all reads of the page. A read that succeeds does not hide one that fails. */
export function connectionOf(reads: readonly Read[]): Connection {
  const failing = reads.filter(({ error }) => connectionAfter(error) !== undefined);
  const times = failing.map(({ dataUpdatedAt }) => dataUpdatedAt).filter((time) => time > 0);
  const isOffline = failing.some(({ error }) => connectionAfter(error) === 'offline');
  return {
    state: failing.length === 0 ? 'online' : isOffline ? 'offline' : 'slow',
    dataAt: times.length === 0 ? undefined : Math.min(...times),
  };
}

/** Undefined if the error says nothing about it. A limit of the user, such as the number of jobs, is no sign of load. */
export function connectionAfter(error: unknown): 'slow' | 'offline' | undefined {
  if (error instanceof PunctualNetworkError) return 'offline';
  if (!(error instanceof PunctualApiError) || error.problem?.limit) return undefined;
  return error.status === 429 || error.status === 503 ? 'slow' : undefined;
}
