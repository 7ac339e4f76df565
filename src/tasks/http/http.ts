// The task `http`: calls a URL and compares the status of the answer with what was expected.
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

/** Kept of the answer: enough to see what it said, little enough for the ledger row to stay near 1 KB. */
export const KEPT_BODY_BYTES = 1024;
/**
 * fetch alone would follow 20. Real chains (http → https → www → moved) have two or three; five leave room, and a loop
 * or a tour through half the internet ends soon and says so. Followed by hand, because fetch takes no other bound.
 */
export const MAX_REDIRECTS = 5;
const MAX_RETRY_AFTER_SECONDS = 86_400;

export interface HttpResult {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** The body was longer than what is kept. */
  truncated: boolean;
}

/** The connection failed, broke or took too long. Tried again: the receiver can tell by the Idempotency-Key. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

export interface HttpServices {
  /** Makes the connections: it decides which addresses may be called. */
  readonly dispatcher: Dispatcher;
  readonly hostLimiter: HostLimiter;
  /** Absent: requests are not signed. */
  readonly signingKeys?: SigningKeys;
}

export const httpTask = (services: () => HttpServices): Task<HttpParams> =>
  defineTask<HttpParams>({
    name: 'http',
    description: 'Calls a URL and succeeds when the status of the answer is an expected one.',
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
  const shown = `${request.method} ${withoutQuery(request.url)}`;
  try {
    signal.throwIfAborted();
    const keys = (await services.signingKeys?.keysOf(context.userId)) ?? [];
    const exchange = (next: Request) =>
      exchangeOnce(services, next, keys, params, AbortSignal.any([signal, timeout.signal]));
    const { response, text, truncated } = await follow(request, exchange);
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
    const refused = refusalIn(error);
    if (refused) throw new DoNotRetry(`${shown}: ${refused.message}`);
    throw new NoAnswer(`${shown}: ${reasonOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

interface Answer {
  readonly response: Response;
  readonly text: string;
  readonly truncated: boolean;
  /** Where it sends us, unless that is an answer in itself. */
  readonly location: string | undefined;
}

/** One request and its answer. It has its place from before it connects until the last byte that is read. */
async function exchangeOnce(
  { dispatcher, hostLimiter }: HttpServices,
  request: Request,
  keys: readonly SigningKey[],
  params: HttpParams,
  signal: AbortSignal,
): Promise<Answer> {
  const leave = await hostLimiter.acquire(request.url.host, signal);
  try {
    const { fetch } = await import('undici'); // the API knows this task too, and must not load that
    const { url, headers, ...init } = await signed(request, keys);
    const response = await fetch(url, {
      ...init,
      headers: [...headers],
      signal,
      dispatcher,
      redirect: 'manual',
    });
    const to = response.headers.get('location');
    // a redirect whose status is expected, or that leads nowhere, is the answer
    if (to === null || !REDIRECTS.has(response.status) || isExpected(response.status, params))
      return { response, ...(await readStart(response)), location: undefined };
    await response.body?.cancel();
    return { response, text: '', truncated: false, location: to };
  } finally {
    leave();
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** The answer at the end of the redirects. */
async function follow(first: Request, exchange: (request: Request) => Promise<Answer>): Promise<Answer> {
  let request = first;
  for (let redirects = 0; ; redirects++) {
    const answer = await exchange(request);
    if (answer.location === undefined) return answer;
    if (redirects === MAX_REDIRECTS) {
      const last = truncateEnd(answer.location, MAX_ERROR_CHARS);
      throw new UnexpectedStatus(`more than ${MAX_REDIRECTS} redirects, the last one to ${last}`);
    }
    request = redirected(request, answer.response.status, answer.location);
  }
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
  const said = body.trim() === '' ? '' : `; it said: ${truncateEnd(body.trim(), MAX_ERROR_CHARS)}`;
  const message = `${shown} answered ${response.status}; expected ${(params.expectedStatuses ?? ['2xx']).join(', ')}${said}`;
  const seconds =
    response.status === 429 || response.status === 503 ? retryAfterSeconds(response.headers) : undefined;
  return seconds === undefined ? new UnexpectedStatus(message) : new RetryAfter(seconds, message);
}

/** Seconds or a date (measured against the answer's own Date, so nobody's clock has to be right); at most a day. */
export function retryAfterSeconds(headers: { get(name: string): string | null }): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1000);
  return seconds > 0 ? Math.min(seconds, MAX_RETRY_AFTER_SECONDS) : undefined;
}

const isVerdict = (error: unknown): boolean =>
  [UnexpectedStatus, RetryAfter, Snooze, DoNotRetry].some((verdict) => error instanceof verdict);

/** fetch hides it one or two causes deep. */
function refusalIn(error: unknown): RefusedAddress | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++)
    if (at instanceof RefusedAddress) return at;
  return undefined;
}

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
