// Conditional GET (RFC 9110): every JSON answer to a GET has an ETag, and `If-None-Match` with that ETag is answered with 304.
import { hash } from 'node:crypto';
import type { HttpEvent, HttpResponse } from './http-event.ts';

/** Leaves an ETag as it is that the route has set. */
export function conditional(event: HttpEvent, response: HttpResponse): HttpResponse {
  const { statusCode, body, headers = {} } = response;
  if (event.requestContext.http.method !== 'GET' || statusCode !== 200 || body === undefined) return response;
  const etag = String(headers.etag ?? `"${fingerprint(body)}"`);
  const known = event.headers['if-none-match'];
  if (known !== undefined && matches(known, etag)) return { statusCode: 304, headers: { etag } };
  return { ...response, headers: { ...headers, etag } };
}

/** 66 bits of SHA-256: enough to tell two representations of one resource apart. */
export const fingerprint = (text: string): string => hash('sha256', text, 'base64url').slice(0, 11);

/** The weak comparison that RFC 9110 asks for. */
const matches = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
