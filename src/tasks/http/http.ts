// The task `http`: calls a URL and compares the status of the response with the expected statuses.
import type { Dispatcher, Response } from 'undici';
import { truncateEnd } from '../secrets/truncate.ts';
import { DoNotRetry, defineTask, RetryAfter, Snooze, type Task, type TaskContext } from '../task.ts';
import { RefusedAddress } from './addresses.ts';
import type { HostLimiter } from './host-limiter.ts';
import { type HttpParams, httpParams, isExpected } from './http-params.ts';
import {
  firstRequest,
  MAX_ERROR_CHARS,
  type Request,
  redirected,
  signed,
  UnexpectedStatus,
} from './http-request.ts';
import type { SigningKey } from './signature.ts';
import type { SigningKeys } from './signing-keys.ts';

/** The part of the response body that is stored. It keeps the row near 1 KB, which one write unit covers. */
export const KEPT_BODY_BYTES = 1024;
/**
 * Real chains (http → https → www → moved) have two or three redirects. fetch has a fixed limit of 20, so this code follows
 * redirects itself.
 */
export const MAX_REDIRECTS = 5;
const MAX_RETRY_AFTER_SECONDS = 86_400;

export interface HttpResult {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** True if the body was longer than `KEPT_BODY_BYTES`. */
  truncated: boolean;
}

/** The connection failed or timed out. It is retried: the receiver recognizes a repetition by the Idempotency-Key. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface HttpServices {
  /** Opens the connections, and refuses addresses that are not allowed. */
  readonly dispatcher: Dispatcher;
  readonly hostLimiter: HostLimiter;
  /** If absent, requests are not signed. */
  readonly signingKeys?: SigningKeys;
}

export const httpTask = (services: () => HttpServices): Task<HttpParams> =>
  defineTask<HttpParams>({
    name: 'http',
    description: 'Calls a URL. The run succeeds if the response has an expected status.',
    params: httpParams,
    run: (context) => call(context, services()),
  });

async function call(context: TaskContext<HttpParams>, services: HttpServices): Promise<HttpResult> {
  const { params, signal } = context;
  const timeout = new AbortController();
  const timer =
    params.timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => timeout.abort(), params.timeoutSeconds * 1000);
  const request = firstRequest(context);
  const label = `${request.method} ${withoutQuery(request.url)}`;
  try {
    signal.throwIfAborted();
    const keys = (await services.signingKeys?.keysOf(context.userId)) ?? [];
    const exchange = (next: Request) =>
      exchangeOnce(services, context.userId, next, keys, params, AbortSignal.any([signal, timeout.signal]));
    const { response, text, truncated } = await follow(request, exchange);
    if (!isExpected(response.status, params)) throw unexpected(label, response, text, params);
    const type = response.headers.get('content-type');
    return {
      status: response.status,
      headers: type === null ? {} : { 'content-type': type },
      body: text,
      truncated,
    };
  } catch (error) {
    // The reason of the abort replaces the error that fetch made of it.
    if (signal.aborted) throw signal.reason;
    if (timeout.signal.aborted) throw new NoAnswer(`${label}: no response within ${params.timeoutSeconds} s`);
    if (isTaskError(error)) throw error;
    const refused = refusalIn(error);
    if (refused) throw new DoNotRetry(`${label}: ${refused.message}`);
    throw new NoAnswer(`${label}: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

interface Answer {
  readonly response: Response;
  readonly text: string;
  readonly truncated: boolean;
  /** The target of a redirect. Undefined if the response is the final one. */
  readonly location: string | undefined;
}

/** Sends one request. It occupies a slot of its host from before the connection until the last byte is read. */
async function exchangeOnce(
  { dispatcher, hostLimiter }: HttpServices,
  userId: string,
  request: Request,
  keys: readonly SigningKey[],
  params: HttpParams,
  signal: AbortSignal,
): Promise<Answer> {
  const release = await hostLimiter.acquire(request.url.host, userId, signal);
  try {
    const { fetch } = await import('undici'); // The API describes this task too, and must not load undici.
    const { url, headers, ...init } = await signed(request, keys);
    const response = await fetch(url, {
      ...init,
      headers: [...headers],
      signal,
      dispatcher,
      redirect: 'manual',
    });
    const to = response.headers.get('location');
    // A redirect without a location, or with an expected status, is the final response.
    if (to === null || !REDIRECTS.has(response.status) || isExpected(response.status, params))
      return { response, ...(await readStart(response)), location: undefined };
    await response.body?.cancel();
    return { response, text: '', truncated: false, location: to };
  } finally {
    release();
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Follows redirects to the final response. */
async function follow(first: Request, exchange: (request: Request) => Promise<Answer>): Promise<Answer> {
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const answer = await exchange(request);
    if (answer.location === undefined) return answer;
    if (redirects === MAX_REDIRECTS) {
      const last = truncateEnd(answer.location, MAX_ERROR_CHARS);
      throw new UnexpectedStatus(
        `the response is redirect ${MAX_REDIRECTS + 1}, to ${last}; at most ${MAX_REDIRECTS} are followed`,
      );
    }
    request = redirected(request, answer.response.status, answer.location);
  }
}

/** Reads the first `KEPT_BODY_BYTES` bytes of the body. The rest is not transferred. */
async function readStart(response: Response): Promise<{ text: string; truncated: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk.subarray(0, KEPT_BODY_BYTES - bytes), { stream: true });
    bytes += chunk.length;
    // The return cancels the stream and closes the connection. A character that is cut in two is dropped.
    if (bytes > KEPT_BODY_BYTES) return { text, truncated: true };
  }
  return { text: text + decoder.decode(), truncated: false };
}

function unexpected(label: string, response: Response, body: string, params: HttpParams): Error {
  const content = body.trim() === '' ? '' : `; body: ${truncateEnd(body.trim(), MAX_ERROR_CHARS)}`;
  const message = `${label} returned ${response.status}; expected ${(params.expectedStatuses ?? ['2xx']).join(', ')}${content}`;
  const seconds =
    response.status === 429 || response.status === 503 ? retryAfterSeconds(response.headers) : undefined;
  return seconds === undefined ? new UnexpectedStatus(message) : new RetryAfter(seconds, message);
}

/** The delay of Retry-After, at most a day. A date is compared with the response's Date, so no clock has to be right. */
export function retryAfterSeconds(headers: { get(name: string): string | null }): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000);
  return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : undefined;
}

const isTaskError = (error: unknown): boolean =>
  [UnexpectedStatus, RetryAfter, Snooze, DoNotRetry].some((type) => error instanceof type);

/** The RefusedAddress among the causes of an error. fetch wraps it once or twice. Undefined if there is none. */
function refusalIn(error: unknown): RefusedAddress | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++)
    if (at instanceof RefusedAddress) return at;
  return undefined;
}

/** The message and code of the cause. The message of fetch itself is always "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  // If several addresses failed, the AggregateError has no message.
  const message =
    cause.message || (cause instanceof AggregateError ? String(cause.errors[0]?.message ?? '') : '');
  if (code === undefined) return message || cause.name;
  return message.includes(code) ? message : `${message} (${code})`.trim();
}

/** The URL for messages, which are logged. A query often contains a key. */
const withoutQuery = (url: URL): string => `${url.origin}${url.pathname}`;
