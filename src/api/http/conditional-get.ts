// Conditional GET (RFC 9110): every response to a GET or HEAD has an ETag. A request with that ETag in `If-None-Match` gets 304.
import { hash } from 'node:crypto';
import type { HttpEvent, HttpResponse } from './http-event.ts';

/** Keeps an ETag that the route has set. */
export function conditional(event: HttpEvent, response: HttpResponse): HttpResponse {
  const { statusCode, body, headers = {} } = response;
  const { method } = event.requestContext.http;
  if ((method !== 'GET' && method !== 'HEAD') || statusCode !== 200 || body === undefined) return response;
  const etag = String(headers.etag ?? `"${fingerprint(body)}"`);
  const ifNoneMatch = event.headers['if-none-match'];
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag))
    return { statusCode: 304, headers: { ...cachingHeaders(headers), etag } };
  return { ...response, headers: { ...headers, etag } };
}

/** The headers that RFC 9110 wants in a 304, because a cache keeps them instead of those of its copy. */
const cachingHeaders = (headers: NonNullable<HttpResponse['headers']>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => ['cache-control', 'vary'].includes(name)));

/** 66 bits of SHA-256, enough to distinguish the representations of one resource. */
export const fingerprint = (content: string | Buffer): string =>
  hash('sha256', content, 'base64url').slice(0, 11);

/** The weak comparison of RFC 9110. */
const matches = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
