// The requests of the task `http`: the first one, what follows from a redirect, and their signature.
import { truncateEnd } from '../secrets/truncate.ts';
import type { TaskContext } from '../task.ts';
import { type HttpParams, hasNoCredentials, SCHEDULER_HEADERS } from './http-params.ts';
import { type SigningKey, sign } from './signature.ts';

export const MAX_ERROR_CHARS = 200;

/**
 * Every unexpected status is tried again, 4xx too: a 404 during a deployment, a 401 while a secret is rotated and a
 * 409 or 423 from a lock all pass, attempts are few and spaced, and a needless one costs one request. Who knows
 * better lists the status in `expectedStatuses` or sets one attempt.
 */
export class UnexpectedStatus extends Error {
  override readonly name = 'UnexpectedStatus';
}

export interface Request {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
  /** A redirect to another origin leads to somebody who must not get requests signed for whom they like. */
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
      `redirect to "${truncateEnd(location, MAX_ERROR_CHARS)}"; only http and https URLs without credentials are followed`,
    );
  }
  // as browsers and fetch do it: 303 asks for a GET, and 301 and 302 turn a POST into one
  const toGet = status === 303 ? from.method !== 'HEAD' : status < 303 && from.method === 'POST';
  const elsewhere = url.origin !== from.url.origin;
  // the receiver that the job names may not pass its data on
  if (elsewhere && !toGet && from.body !== undefined) {
    throw new UnexpectedStatus(
      `redirect ${status} to another origin, ${url.origin}: the body of a ${from.method} does not go there; give the job that URL`,
    );
  }
  const headers = new Headers(from.headers);
  if (elsewhere) {
    // a token for one host is not for another, and it may be in any header: only what describes the content goes on
    const goesOn = new Set([...SCHEDULER_HEADERS, 'user-agent', 'accept', 'content-type']);
    for (const name of [...headers.keys()]) if (!goesOn.has(name)) headers.delete(name);
  }
  const unsigned = from.unsigned || elsewhere;
  if (!toGet) return { ...from, url, headers, unsigned };
  headers.delete('content-type');
  return { url, method: 'GET', headers, unsigned };
}

/** What is sent: signed at the time of sending, with every key in force. */
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
