// The errors of a call: an unsuccessful response, no response, and a wait that timed out.
import type { Execution, Operation, Problem } from './types.ts';

interface Received {
  readonly status: number;
  /** Absent if the response is not a problem of this API, such as the page of a proxy. */
  readonly problem?: Problem;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  readonly attempts: number;
}

/** The response of the server, or of a proxy, is not successful. */
export class PunctualApiError extends Error {
  override readonly name = 'PunctualApiError';
  readonly status: number;
  readonly problem: Problem | undefined;
  /** The wrong fields of the request. */
  readonly fieldErrors: NonNullable<Problem['errors']>;
  /** The id of the request in the log of the server. */
  readonly requestId: string | undefined;
  /** The delay that the server asks for before the next attempt. */
  readonly retryAfterMs: number | undefined;
  /** The number of times that the request was sent. */
  readonly attempts: number;

  constructor(message: string, received: Received) {
    super(message);
    this.status = received.status;
    this.problem = received.problem;
    this.fieldErrors = received.problem?.errors ?? [];
    this.requestId = received.requestId;
    this.retryAfterMs = received.retryAfterMs;
    this.attempts = received.attempts;
  }
}

/** There was no response. Whether the server handled the request is unknown. */
export class PunctualNetworkError extends Error {
  override readonly name = 'PunctualNetworkError';
  readonly attempts: number;

  constructor(message: string, attempts: number, cause: unknown) {
    super(message, { cause });
    this.attempts = attempts;
  }
}

/** The execution or operation did not end within the timeout. It continues. */
export class PunctualTimeoutError extends Error {
  override readonly name = 'PunctualTimeoutError';
  /** The last state that was read. */
  readonly execution: Execution | undefined;
  readonly operation: Operation | undefined;

  constructor(
    name: string,
    timeoutMs: number,
    last: { readonly execution?: Execution | undefined; readonly operation?: Operation | undefined },
  ) {
    const status = (last.execution ?? last.operation)?.status;
    super(`${name} has not ended within ${timeoutMs} ms${status ? `; its status is ${status}` : ''}`);
    this.execution = last.execution;
    this.operation = last.operation;
  }
}
