// The error for telemetry that cannot be read now. Its message names the cause and the remedy.
import { PunctualError } from '../domain/errors.ts';

export class SourceUnavailable extends PunctualError {
  readonly status = 503;
  readonly title = 'Service unavailable';
  readonly retryAfterSeconds: number;
  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** This server has no such data at all, whatever is asked. */
export class NotKept extends PunctualError {
  readonly status = 501;
  readonly title = 'Not available on this server';
}

/** Until then the same request would fail again. */
const RETRY_SECONDS = 5;

/** The errors of CloudWatch that people can act on. Undefined if the error is another one. */
export function unavailable(
  error: unknown,
  service: string,
  permission: string,
): SourceUnavailable | undefined {
  const name = error instanceof Error ? error.name : '';
  if (/Throttl|LimitExceeded|TooManyRequests/.test(name))
    return new SourceUnavailable(
      `${service} throttles the requests of this account; try again in ${RETRY_SECONDS} seconds`,
      RETRY_SECONDS,
    );
  if (/AccessDenied|NotAuthorized|UnauthorizedOperation/.test(name))
    return new SourceUnavailable(
      `the query service has no permission for ${permission}; deploy the stack again`,
      RETRY_SECONDS,
    );
  return undefined;
}
