// Sends a request and retries it where that is safe, with exponential backoff, up to `maxAttempts`.
import type { ClientClock } from './clock.ts';
import { PunctualApiError, PunctualNetworkError } from './errors.ts';
import { delayMs, isRetryable, type RetryOptions, retryAfterMs } from './retry.ts';
import type { Problem } from './types.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** Whether the request may be sent again if its result is unknown. */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal;
}

export interface TransportOptions {
  readonly baseUrl: string;
  readonly token?: () => string | undefined | Promise<string | undefined>;
  readonly fetch: typeof fetch;
  readonly clock: ClientClock;
  readonly random: () => number;
  readonly retry: Required<RetryOptions>;
  /** The timeout of one attempt, including reading the response. */
  readonly attemptTimeoutMs: number;
}

interface Received {
  readonly response: Response;
  readonly text: string;
}

export type Send = (request: Request) => Promise<unknown>;

export function createTransport(options: TransportOptions): Send {
  const { clock, random, retry } = options;
  return async (request) => {
    const { signal, repeatable } = request;
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const isLast = attempt >= retry.maxAttempts;
      let wait = delayMs(retry, attempt, random());
      try {
        const received = await exchange(options, request);
        if (received.response.ok) return parseBody(received, attempt);
        const error = apiError(received, attempt, clock.now());
        wait = Math.max(wait, error.retryAfterMs ?? 0);
        const tooLong = wait > Math.max(retry.maxRetryAfterMs, retry.maxDelayMs);
        if (isLast || tooLong || !isRetryable(error, repeatable)) throw error;
      } catch (error) {
        if (error instanceof PunctualApiError) throw error;
        signal?.throwIfAborted();
        if (isLast || !repeatable) throw networkError(options, request, attempt, error);
      }
      await clock.sleep(wait, signal);
    }
  };
}

async function exchange(options: TransportOptions, request: Request): Promise<Received> {
  const { method, path, query, body, signal } = request;
  // Read for each attempt, because the token may have expired during the delay.
  const token = await options.token?.();
  const timeout = AbortSignal.timeout(options.attemptTimeoutMs);
  const response = await options.fetch(`${options.baseUrl}${path}${queryText(query)}`, {
    method,
    headers: {
      accept: 'application/json, application/problem+json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...present(request.headers),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  });
  return { response, text: await response.text() };
}

function queryText(query: Request['query'] = {}): string {
  const text = new URLSearchParams(present(query)).toString();
  return text === '' ? '' : `?${text}`;
}

const present = (record: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
  );

function parseBody(received: Received, attempts: number): unknown {
  if (received.text === '') return undefined;
  const value = jsonOf(received.text);
  if (value !== undefined) return value;
  throw new PunctualApiError(notJson(received), { ...statusAndIdOf(received), attempts });
}

function apiError(received: Received, attempts: number, now: number): PunctualApiError {
  const { response, text } = received;
  const problem = problemOf(jsonOf(text));
  return new PunctualApiError(problem ? problemText(problem) : notJson(received), {
    ...statusAndIdOf(received),
    ...(problem && { problem }),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), now),
    attempts,
  });
}

const statusAndIdOf = ({ response }: Received) => ({
  status: response.status,
  requestId: response.headers.get('x-request-id') ?? undefined,
});

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined if the JSON is not a problem of this API, such as a 401 of API Gateway or the JSON of a proxy. */
function problemOf(value: unknown): Problem | undefined {
  const { status, title, detail } = Object(value) as Partial<Problem>;
  const isProblem = typeof status === 'number' && typeof title === 'string' && typeof detail === 'string';
  return isProblem ? (value as Problem) : undefined;
}

const problemText = ({ status, title, detail }: Problem): string => `${status} ${title}: ${detail}`;

/** Maximum number of characters of a foreign response in the error message. */
const MAX_EXCERPT = 200;

function notJson({ response, text }: Received): string {
  const excerpt = text.replace(/\s+/g, ' ').trim().slice(0, MAX_EXCERPT);
  const status = `${response.status} ${response.statusText}`.trim();
  if (excerpt === '') return `${status}: the response is empty`;
  return `${status}: the response is not from this API (${response.headers.get('content-type') ?? 'no content type'}): ${excerpt}`;
}

function networkError(
  { baseUrl }: TransportOptions,
  request: Request,
  attempts: number,
  cause: unknown,
): Error {
  const reason = reasonOf(cause);
  const unknown =
    request.repeatable || request.method === 'GET'
      ? ''
      : '; it is unknown whether the server handled the request';
  const after = attempts > 1 ? ` after ${attempts} attempts` : '';
  return new PunctualNetworkError(
    `no response to ${request.method} ${request.path} from ${baseUrl}${after}: ${reason}${unknown}`,
    attempts,
    cause,
  );
}

/** The message of fetch is only "fetch failed". The reason is in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
