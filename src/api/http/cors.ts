// CORS: which pages may call the API from a browser. Tokens travel in a header, never in a cookie, so credentials are not
// allowed and `*` is safe.

import { methodsOf, type Operation } from '../contract/endpoint.ts';
import type { HttpEvent, HttpResponse } from './http-event.ts';

const TAKEN = 'authorization, content-type, idempotency-key, if-match, if-none-match, prefer, x-request-id';
const SHOWN = 'etag, location, preference-applied, retry-after, www-authenticate, x-request-id';
const PREFLIGHT_SECONDS = 3600;

export interface Cors {
  /** The answer to a preflight; undefined when the request is none. */
  preflight(event: HttpEvent): HttpResponse | undefined;
  /** What every answer carries. */
  headers(event: HttpEvent): Record<string, string>;
}

export function createCors(origins: readonly string[], operations: readonly Operation[]): Cors {
  const allowed = (event: HttpEvent): Record<string, string> => {
    if (origins.length === 0) return {};
    if (origins.includes('*')) return { 'access-control-allow-origin': '*' };
    const { origin } = event.headers;
    // the answer depends on who asks, also when it is "no": a cache must know
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
          ...allowed(event),
          'access-control-allow-methods': methods.join(', '),
          'access-control-allow-headers': TAKEN,
          'access-control-max-age': String(PREFLIGHT_SECONDS),
        },
      };
    },
    headers: (event) => {
      const headers = allowed(event);
      return headers['access-control-allow-origin'] === undefined
        ? headers
        : { ...headers, 'access-control-expose-headers': SHOWN };
    },
  };
}
