// Converts every error into RFC 9457 problem details. An unexpected error is not described in the response, which has only
// the request id. The caller of `problemOf` logs the error under that id.
import { InvalidInput, PunctualError, QuotaExceeded } from '../../domain/errors.ts';
import { NotKept, SourceUnavailable } from '../../telemetry/source-unavailable.ts';
import type { Problem } from '../contract/response-schemas.ts';
import { Overloaded } from './admission.ts';
import { RequestError, Unavailable } from './request-errors.ts';
import { isTransient } from './transient-errors.ts';

export interface ProblemReply {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the error must be logged for the operators of the service. */
  readonly unexpected: boolean;
}

export function problemOf(error: unknown, requestId: string): ProblemReply {
  const known = error instanceof PunctualError ? error : isTransient(error) ? unavailable() : undefined;
  if (!known) {
    return {
      problem: {
        type: 'urn:punctual:problem:internal',
        title: 'Internal error',
        status: 500,
        detail: `the request failed; the log of the service has the cause under request id ${requestId}`,
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
      ...(known instanceof QuotaExceeded && { limit: { ...known.limit } }),
    },
    headers: headersOf(known),
    // Admission control logs its refusals itself, once per minute with a count.
    unexpected: known.status >= 500 && !(known instanceof Overloaded || known instanceof NotKept),
  };
}

function headersOf(error: PunctualError): Readonly<Record<string, string>> {
  if (error instanceof RequestError) return error.headers;
  if (!(error instanceof SourceUnavailable || error instanceof QuotaExceeded)) return {};
  return error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) };
}

const unavailable = () =>
  new Unavailable('a service that Punctual depends on is unavailable or busy; try again later');

const kebab = (name: string): string => name.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase();
