// The state of the connection that an error shows.
import { PunctualApiError, PunctualNetworkError } from '../../src/client/errors.ts';

/** Undefined if the error says nothing about it. A limit of the user, such as the number of jobs, is no sign of load. */
export function connectionAfter(error: unknown): 'slow' | 'offline' | undefined {
  if (error instanceof PunctualNetworkError) return 'offline';
  if (!(error instanceof PunctualApiError) || error.problem?.limit) return undefined;
  return error.status === 429 || error.status === 503 ? 'slow' : undefined;
}
