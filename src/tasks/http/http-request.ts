// The requests of the task `http`: the first one, the ones after redirects, and their signatures.
import { truncateEnd } from '../secrets/truncate.ts';
import type { TaskContext } from '../task.ts';
import { type HttpParams, hasNoCredentials, SCHEDULER_HEADERS } from './http-params.ts';
import { type SigningKey, sign } from './signature.ts';

export const MAX_ERROR_CHARS = 200;

/**
 * The response has a status that is not expected. It is retried, 4xx too: a 404 during a deployment, a 401 during a rotation
 * of secrets and a 409 of a lock are temporary. A needless retry costs one request.
 */
export class UnexpectedStatus extends Error {
  override readonly name = 'UnexpectedStatus';
}

export interface Request {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
  /** Set after a redirect to another origin. That origin must not get signatures for URLs of its choice. */
  readonly unsigned?: boolean;
}

export function firstRequest({ params, ...context }: TaskContext<HttpParams>): Request {
  const headers = new Headers(params.headers);
  const body =
    params.body === undefined || typeof params.body === 'string' ? params.body : JSON.stringify(params.body);
  if (body !== undefined && !headers.has('content-type')) {
    headers.set(
      'content-type',
      typeof params.body === 'string' ? 'text/plain;charset=UTF-8' : 'application/json',
    );
  }
  addSchedulerHeaders(headers, context);
  return {
    url: new URL(params.url),
    method: params.method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    body,
  };
}

function addSchedulerHeaders(headers: Headers, context: Omit<TaskContext<HttpParams>, 'params'>): void {
  if (!headers.has('user-agent')) headers.set('user-agent', 'punctual');
  headers.set('idempotency-key', context.idempotencyKey);
  headers.set('punctual-execution', context.executionId);
  headers.set('punctual-attempt', String(context.attempt));
  headers.set('punctual-due', context.dueAt.toISOString());
  headers.set('punctual-fence', String(context.fence));
}

export function redirected(from: Request, status: number, location: string): Request {
  const url = URL.canParse(location, from.url.href) ? new URL(location, from.url) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !hasNoCredentials(url.href)) {
    throw new UnexpectedStatus(
      `redirect to "${truncateEnd(location, MAX_ERROR_CHARS)}" was not followed; only http and https URLs without credentials are`,
    );
  }
  // As in browsers, 303 requires a GET, and 301 and 302 turn a POST into a GET.
  const toGet = status === 303 ? from.method !== 'HEAD' : status < 303 && from.method === 'POST';
  const isOtherOrigin = url.origin !== from.url.origin;
  // The receiver that the job names must not forward the job's data.
  if (isOtherOrigin && !toGet && from.body !== undefined) {
    throw new UnexpectedStatus(
      `redirect ${status} to another origin, ${url.origin}, was not followed: the body of a ${from.method} is not sent there; use that URL in the job`,
    );
  }
  const headers = new Headers(from.headers);
  if (isOtherOrigin) {
    // A header of the job may contain a token for the first host. Only the scheduler's own headers and those that describe
    // the client and the content are kept.
    const kept = new Set([...SCHEDULER_HEADERS, 'user-agent', 'accept', 'content-type']);
    for (const name of [...headers.keys()]) if (!kept.has(name)) headers.delete(name);
  }
  const unsigned = from.unsigned || isOtherOrigin;
  if (!toGet) return { ...from, url, headers, unsigned };
  headers.delete('content-type');
  return { url, method: 'GET', headers, unsigned };
}

/** Adds the signature: one per active key, with the time of sending. */
export async function signed(
  { unsigned, ...request }: Request,
  keys: readonly SigningKey[],
): Promise<Omit<Request, 'unsigned'>> {
  const headers = new Headers(request.headers);
  if (keys.length > 0 && !unsigned) {
    const { method, url, body } = request;
    const seconds = Math.floor(Date.now() / 1000);
    headers.set('punctual-signature', await sign(keys, { method, url: url.href, body }, seconds));
  }
  return { ...request, headers };
}
