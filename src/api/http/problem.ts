// Every error as RFC 9457 problem+json, in one place. What is not the caller's doing is logged here and told to
// nobody: the answer names only the request id under which the log has it.
import { InvalidInput, PunctualError, QuotaExceeded } from '../../domain/errors.ts';
import type { Problem } from '../contract/response-schemas.ts';
import { Overloaded } from './admission.ts';
import { RequestError, Unavailable } from './request-errors.ts';
import { isPassing } from './transient-faults.ts';

export interface ProblemReply {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a person should look at it. */
  readonly unexpected: boolean;
}

export function problemOf(error: unknown, requestId: string): ProblemReply {
  const known = error instanceof PunctualError ? error : isPassing(error) ? unavailable() : undefined;
  if (!known) {
    return {
      problem: {
        type: 'urn:punctual:problem:internal',
        title: 'Something went wrong here',
        status: 500,
        detail: `the request could not be completed; the log has the reason under request id ${requestId}`,
        requestId,
      },
      headers: {},
      unexpected: true,
    };
  }
  return {
    problem: {
      type: `urn:punctual:problem:${kebab(known.name)}`,
      title: known.title,
      status: known.status,
      detail: known.message,
      requestId,
      ...(known instanceof InvalidInput && { errors: [...known.errors] }),
    },
    headers: headersOf(known),
    // a refusal by admission control is logged there, once per minute with a count
    unexpected: known.status >= 500 && !(known instanceof Overloaded),
  };
}

function headersOf(error: PunctualError): Readonly<Record<string, string>> {
  if (error instanceof RequestError) return error.headers;
  if (error instanceof QuotaExceeded && error.retryAfterSeconds !== undefined)
    return { 'retry-after': String(error.retryAfterSeconds) };
  return {};
}

const unavailable = () =>
  new Unavailable('a service behind this one does not answer or is busy; try again shortly');

const kebab = (name: string): string => name.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
