// The task `http`: calls a URL and compares the status of the answer with what was expected.
import { type HttpParams, hasNoCredentials, httpParams, isExpected, OURS } from './http-params.ts';
import { defineTask, RetryAfter, type TaskContext } from './task.ts';

/** Kept of the answer: enough to see what it said, little enough for the ledger row to stay near 1 KB. */
export const KEPT_BODY_BYTES = 1024;
/**
 * fetch alone would follow 20. Real chains (http → https → www → moved) have two or three; five leave room, and a loop
 * or a tour through half the internet ends soon and says so. Followed by hand, because fetch takes no other bound.
 */
export const MOST_REDIRECTS = 5;
const LONGEST_RETRY_AFTER_SECONDS = 86_400;
const SHOWN_IN_ERROR = 200;

export interface HttpResult {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body was longer than what is kept. */
  truncated: boolean;
}

/**
 * Every unexpected status is tried again, 4xx too: a 404 during a deployment, a 401 while a secret is rotated and a
 * 409 or 423 from a lock all pass, attempts are few and spaced, and a needless one costs one request. Who knows
 * better lists the status in `expectedStatuses` or sets one attempt.
 */
export class UnexpectedStatus extends Error {
  override readonly name = 'UnexpectedStatus';
}

/** The connection failed, broke or took too long. Tried again: the receiver can tell by the Idempotency-Key. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export const http = defineTask<HttpParams>({
  name: 'http',
  description: 'Calls a URL and succeeds when the status of the answer is an expected one.',
  params: httpParams,
  run: call,
});

async function call(context: TaskContext<HttpParams>): Promise<HttpResult> {
  const { params, signal } = context;
  const timeout = new AbortController();
  const timer =
    params.timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => timeout.abort(), params.timeoutSeconds * 1000);
  const request = firstRequest(context);
  const shown = `${request.method} ${withoutQuery(request.url)}`;
  try {
    signal.throwIfAborted();
    const response = await follow(request, params, AbortSignal.any([signal, timeout.signal]));
    const { text, truncated } = await readStart(response);
    if (!isExpected(response.status, params)) throw unexpected(shown, response, text, params);
    const type = response.headers.get('content-type');
    return {
      status: response.status,
      headers: type === null ? {} : { 'content-type': type },
      body: text,
      truncated,
    };
  } catch (error) {
    // why the run was stopped is for its runner to say, whatever fetch made of it
    if (signal.aborted) throw signal.reason;
    if (timeout.signal.aborted) throw new NoAnswer(`${shown}: no answer within ${params.timeoutSeconds} s`);
    if (isVerdict(error)) throw error;
    throw new NoAnswer(`${shown}: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

interface Request {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
}

function firstRequest({ params, ...context }: TaskContext<HttpParams>): Request {
  const headers = new Headers(params.headers);
  const body =
    params.body === undefined || typeof params.body === 'string' ? params.body : JSON.stringify(params.body);
  if (body !== undefined && !headers.has('content-type')) {
    headers.set(
      'content-type',
      typeof params.body === 'string' ? 'text/plain;charset=UTF-8' : 'application/json',
    );
  }
  addOurs(headers, context);
  return {
    url: new URL(params.url),
    method: params.method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    body,
  };
}

function addOurs(headers: Headers, context: Omit<TaskContext<HttpParams>, 'params'>): void {
  if (!headers.has('user-agent')) headers.set('user-agent', 'punctual');
  headers.set('idempotency-key', context.idempotencyKey);
  headers.set('punctual-execution', context.executionId);
  headers.set('punctual-attempt', String(context.attempt));
  headers.set('punctual-due', context.dueAt.toISOString());
  headers.set('punctual-fence', String(context.fence));
}

/** The answer at the end of the redirects; a redirect whose status is expected, or that leads nowhere, is the answer. */
async function follow(first: Request, params: HttpParams, signal: AbortSignal): Promise<Response> {
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const { url, ...init } = request;
    const response = await fetch(url, { ...init, signal, redirect: 'manual' });
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null || isExpected(response.status, params))
      return response;
    await response.body?.cancel();
    if (redirects === MOST_REDIRECTS) {
      throw new UnexpectedStatus(
        `more than ${MOST_REDIRECTS} redirects, the last one to ${location.slice(0, SHOWN_IN_ERROR)}`,
      );
    }
    request = redirected(request, response.status, location);
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function redirected(from: Request, status: number, location: string): Request {
  const url = URL.canParse(location, from.url.href) ? new URL(location, from.url) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || !hasNoCredentials(url.href)) {
    throw new UnexpectedStatus(
      `redirect to "${location.slice(0, SHOWN_IN_ERROR)}"; only http and https URLs without credentials are followed`,
    );
  }
  const headers = new Headers(from.headers);
  if (url.origin !== from.url.origin) {
    // a token for one host is not for another, and it may be in any header: only what describes the content goes on
    const goesOn = new Set([...OURS, 'user-agent', 'accept', 'content-type']);
    for (const name of [...headers.keys()]) if (!goesOn.has(name)) headers.delete(name);
  }
  // as browsers and fetch do it: 303 asks for a GET, and 301 and 302 turn a POST into one
  const toGet = status === 303 ? from.method !== 'HEAD' : status < 303 && from.method === 'POST';
  if (!toGet) return { ...from, url, headers };
  headers.delete('content-type');
  return { url, method: 'GET', headers };
}

/** Reads no further than what is kept: an endless answer costs as little as a long one. */
async function readStart(response: Response): Promise<{ text: string; truncated: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk.subarray(0, KEPT_BODY_BYTES - bytes), { stream: true });
    bytes += chunk.length;
    // leaving the loop cancels the stream and so closes the connection; a character cut in two is left out
    if (bytes > KEPT_BODY_BYTES) return { text, truncated: true };
  }
  return { text: text + decoder.decode(), truncated: false };
}

function unexpected(shown: string, response: Response, body: string, params: HttpParams): Error {
  const said = body.trim() === '' ? '' : `; it said: ${body.trim().slice(0, SHOWN_IN_ERROR)}`;
  const message = `${shown} answered ${response.status}; expected ${(params.expectedStatuses ?? ['2xx']).join(', ')}${said}`;
  const seconds =
    response.status === 429 || response.status === 503 ? retryAfterSeconds(response.headers) : undefined;
  return seconds === undefined ? new UnexpectedStatus(message) : new RetryAfter(seconds, message);
}

/** Seconds or a date (measured against the answer's own Date, so nobody's clock has to be right); at most a day. */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000);
  return seconds > 0 ? Math.min(seconds, LONGEST_RETRY_AFTER_SECONDS) : undefined;
}

const isVerdict = (error: unknown): boolean =>
  error instanceof UnexpectedStatus || error instanceof RetryAfter;

/** fetch says "fetch failed" and hides the reason in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  // several addresses were tried: the message of the whole is empty
  const message =
    cause.message || (cause instanceof AggregateError ? String(cause.errors[0]?.message ?? '') : '');
  if (code === undefined) return message || cause.name;
  return message.includes(code) ? message : `${message} (${code})`.trim();
}

/** A query often holds a key; messages end up in logs. */
const withoutQuery = (url: URL): string => `${url.origin}${url.pathname}`;
