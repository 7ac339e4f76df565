// What can go wrong with a call, as types that carry data: an answer that is not a success, no answer at all, and an
// execution or operation that did not end in time.
import type { Problem } from '../api/contract/response-schemas.ts';
import type { Execution, Operation } from './types.ts';

interface Received {
  readonly status: number;
  /** Absent when the answer was not this API's: a proxy's page, a cut-off text. */
  readonly problem?: Problem;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  readonly attempts: number;
}

/** The server, or something in front of it, answered with something else than a success. */
export class PunctualApiError extends Error {
  override readonly name = 'PunctualApiError';
  readonly status: number;
  readonly problem: Problem | undefined;
  /** What is wrong with which field of the input. */
  readonly fieldErrors: NonNullable<Problem['errors']>;
  /** Under which the server's log has the request. */
  readonly requestId: string | undefined;
  /** How long the server asks to wait before the next try. */
  readonly retryAfterMs: number | undefined;
  /** How often the request was sent. */
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

/** No answer came: the request may or may not have been carried out. */
export class PunctualNetworkError extends Error {
  override readonly name = 'PunctualNetworkError';
  readonly attempts: number;

  constructor(message: string, attempts: number, cause: unknown) {
    super(message, { cause });
    this.attempts = attempts;
  }
}

/** The execution or operation had not ended when the time was up; it goes on. */
export class PunctualTimeoutError extends Error {
  override readonly name = 'PunctualTimeoutError';
  /** As it was last seen. */
  readonly execution: Execution | undefined;
  readonly operation: Operation | undefined;

  constructor(
    what: string,
    timeoutMs: number,
    seen: { readonly execution?: Execution | undefined; readonly operation?: Operation | undefined },
  ) {
    const status = (seen.execution ?? seen.operation)?.status;
    super(`${what} has not ended within ${timeoutMs} ms${status ? `: it is ${status}` : ''}`);
    this.execution = seen.execution;
    this.operation = seen.operation;
  }
}
