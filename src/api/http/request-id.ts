// The id of a request in the log and in its response.
import type { HttpEvent } from './http-event.ts';

/** The `X-Request-Id` of the caller if it is safe to log, otherwise the id of API Gateway. */
export function requestIdOf(event: HttpEvent): string {
  const given = event.headers['x-request-id'] ?? '';
  return /^[\w.:-]{1,128}$/.test(given) ? given : event.requestContext.requestId;
}
