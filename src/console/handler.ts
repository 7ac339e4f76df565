// Serves the console at `/console/`, for API Gateway's HTTP API (payload 2.0). The local server calls the same handler. No token
// is needed: the files are the same for everybody, and the page itself calls the API with the user's token.
import { conditional } from '../api/http/conditional-get.ts';
import type { ApiHandler, HttpEvent, HttpResponse } from '../api/http/http-event.ts';
import { requestIdOf } from '../api/http/request-id.ts';
import { type StaticFile, staticReply } from '../api/http/static-file.ts';
import {
  BUILDING_PAGE,
  failedPage,
  REFRESH_SECONDS,
  RELOAD_SCRIPT,
  RELOAD_SCRIPT_PATH,
} from './build-page.ts';
import type { ConsoleConfig } from './console-config.ts';
import type { ConsoleFiles } from './console-files.ts';
import { protectionHeaders } from './page-headers.ts';

/** A checkout builds the console at the first request. Everywhere else it is always `ready`. */
export type ConsoleState =
  | { readonly kind: 'ready'; readonly files: ConsoleFiles }
  | { readonly kind: 'building' }
  | { readonly kind: 'failed'; readonly error: string };

export interface ConsoleOptions {
  readonly config: ConsoleConfig;
  /** The origins besides its own that the page may call. Default: none. */
  readonly connectTo?: readonly string[];
  state(): Promise<ConsoleState>;
}

export const CONSOLE_PATH = '/console/';
const ASSETS_PATH = `${CONSOLE_PATH}assets/`;
const CONFIG_PATH = `${CONSOLE_PATH}config.json`;

/** The names of assets have a hash of their content, so a name never gets other content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';
/** The browser asks each time whether the page has changed. */
const REVALIDATED = 'no-cache';

/** Whether the console answers the request. All other requests are for the API. */
export function isForConsole({ rawPath, requestContext }: HttpEvent): boolean {
  const { method } = requestContext.http;
  if (method !== 'GET' && method !== 'HEAD') return false;
  return rawPath === '/' || `${rawPath}/` === CONSOLE_PATH || rawPath.startsWith(CONSOLE_PATH);
}

export function createConsole({ config, connectTo, state }: ConsoleOptions): ApiHandler {
  const protection = protectionHeaders(connectTo);
  return async (event) => {
    const { statusCode, headers, ...content } = conditional(event, await respond(event, config, state));
    const response = {
      statusCode,
      headers: { ...protection, ...headers, 'x-request-id': requestIdOf(event) },
      ...content,
    };
    return event.requestContext.http.method === 'HEAD' ? withoutBody(response) : response;
  };
}

async function respond(
  event: HttpEvent,
  config: ConsoleConfig,
  state: ConsoleOptions['state'],
): Promise<HttpResponse> {
  const path = event.rawPath;
  if (path === '/')
    return { statusCode: 302, headers: { location: CONSOLE_PATH, 'cache-control': 'no-store' } };
  if (path === CONFIG_PATH) {
    const headers = { 'content-type': 'application/json', 'cache-control': REVALIDATED };
    return { statusCode: 200, headers, body: JSON.stringify(config) };
  }
  if (path === RELOAD_SCRIPT_PATH) {
    const headers = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' };
    return { statusCode: 200, headers, body: RELOAD_SCRIPT };
  }
  const current = await state();
  if (current.kind === 'building') return waiting(503, BUILDING_PAGE);
  if (current.kind === 'failed') return waiting(500, failedPage(current.error));
  const { page, assets } = current.files;
  if (!path.startsWith(ASSETS_PATH)) return send(event, page, REVALIDATED);
  const asset = assets.get(path.slice(ASSETS_PATH.length));
  return asset ? send(event, asset, IMMUTABLE) : missing(path);
}

async function send(event: HttpEvent, file: StaticFile, cacheControl: string): Promise<HttpResponse> {
  const { body, headers } = await staticReply(file, event.headers['accept-encoding'], cacheControl);
  return { statusCode: 200, headers: { ...headers }, body: body.toString('base64'), isBase64Encoded: true };
}

const waiting = (statusCode: number, body: string): HttpResponse => ({
  statusCode,
  headers: {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    refresh: String(REFRESH_SECONDS),
    ...(statusCode === 503 && { 'retry-after': String(REFRESH_SECONDS) }),
  },
  body,
});

/** Never cached: during a deployment, a page may name a file that another version of the function does not have. */
const missing = (path: string): HttpResponse => ({
  statusCode: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: `The console has no file ${path.slice(0, 200)}. Reload the page to get the current version.\n`,
});

function withoutBody({ body, isBase64Encoded, ...response }: HttpResponse): HttpResponse {
  if (body === undefined) return response;
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').length;
  return { ...response, headers: { ...response.headers, 'content-length': String(bytes) } };
}
