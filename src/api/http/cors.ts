// CORS: the origins that may call the API from a browser. Tokens are sent in a header, never in a cookie. Credentials are
// therefore not allowed, and `*` is safe.
import { methodsOf, type Operation } from '../contract/endpoint.ts';
import type { HttpEvent, HttpResponse } from './http-event.ts';

const ALLOWED_HEADERS =
  'authorization, content-type, idempotency-key, if-match, if-none-match, prefer, x-request-id';
const EXPOSED_HEADERS = 'etag, location, preference-applied, retry-after, www-authenticate, x-request-id';
const PREFLIGHT_MAX_AGE_SECONDS = 3600;

export interface Cors {
  /** The response to a preflight request. Undefined if the request is not one. */
  preflight(event: HttpEvent): HttpResponse | undefined;
  /** The CORS headers of every response. */
  headers(event: HttpEvent): Record<string, string>;
}

export function createCors(origins: readonly string[], operations: readonly Operation[]): Cors {
  const originHeaders = (event: HttpEvent): Record<string, string> => {
    if (origins.length === 0) return {};
    if (origins.includes('*')) return { 'access-control-allow-origin': '*' };
    const { origin } = event.headers;
    // `Vary` tells caches that the response depends on the origin, even if the origin is not allowed.
    if (origin === undefined || !origins.includes(origin)) return { vary: 'origin' };
    return { 'access-control-allow-origin': origin, vary: 'origin' };
  };
  return {
    preflight(event) {
      const { method, path } = event.requestContext.http;
      if (method !== 'OPTIONS' || event.headers['access-control-request-method'] === undefined)
        return undefined;
      const methods = methodsOf(operations, path);
      if (origins.length === 0 || methods.length === 0) return undefined;
      return {
        statusCode: 204,
        headers: {
          ...originHeaders(event),
          'access-control-allow-methods': methods.join(', '),
          'access-control-allow-headers': ALLOWED_HEADERS,
          'access-control-max-age': String(PREFLIGHT_MAX_AGE_SECONDS),
        },
      };
    },
    headers: (event) => {
      const headers = originHeaders(event);
      return headers['access-control-allow-origin'] === undefined
        ? headers
        : { ...headers, 'access-control-expose-headers': EXPOSED_HEADERS };
    },
  };
}
