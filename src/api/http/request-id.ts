// The id under which a request stands in the log and in its answer.
import type { HttpEvent } from './http-event.ts';

/** The caller's own, when it is fit for a log line; else API Gateway's. */
export function requestIdOf(event: HttpEvent): string {
  const given = event.headers['x-request-id'] ?? '';
  return /^[\w.:-]{1,128}$/.test(given) ? given : event.requestContext.requestId;
}
