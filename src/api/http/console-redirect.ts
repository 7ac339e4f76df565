// API Gateway refuses a route that ends with "/". If `/console/{proxy+}` does not get `/console/`, the route for unknown paths does.
// The response leads to `/console`, which is the same page.
import type { HttpEvent, HttpResponse } from './http-event.ts';

/** Undefined for every other request. A login comes back with its code in the query, so the query is kept. */
export function consoleRedirect({
  rawPath,
  rawQueryString,
  requestContext,
}: HttpEvent): HttpResponse | undefined {
  if (rawPath !== '/console/' || requestContext.http.method !== 'GET') return undefined;
  const location = rawQueryString === '' ? '/console' : `/console?${rawQueryString}`;
  return {
    statusCode: 302,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  };
}
