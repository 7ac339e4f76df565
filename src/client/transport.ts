// Sends one request until it is answered for good: repeated where that is safe, with growing delays, never for ever.
import type { Problem } from '../api/contract/response-schemas.ts';
import type { ClientClock } from './clock.ts';
import { PunctualApiError, PunctualNetworkError } from './errors.ts';
import { delayMs, isPassing, type RetryOptions, retryAfterMs } from './retry.ts';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  /** Whether doing it twice is the same as doing it once. */
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
  /** Of one attempt, its answer read to the end. */
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
      const last = attempt >= retry.maxAttempts;
      let wait = delayMs(retry, attempt, random());
      try {
        const received = await exchange(options, request);
        if (received.response.ok) return parsed(received, attempt);
        const error = apiError(received, attempt, clock.now());
        wait = Math.max(wait, error.retryAfterMs ?? 0);
        const tooLong = wait > Math.max(retry.maxRetryAfterMs, retry.maxDelayMs);
        if (last || tooLong || !isPassing(error, repeatable)) throw error;
      } catch (error) {
        if (error instanceof PunctualApiError) throw error;
        signal?.throwIfAborted();
        if (last || !repeatable) throw noAnswer(options, request, attempt, error);
      }
      await clock.sleep(wait, signal);
    }
  };
}

async function exchange(options: TransportOptions, request: Request): Promise<Received> {
  const { method, path, query, body, signal } = request;
  // asked for each attempt: a token may have run out while we waited
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

function parsed(received: Received, attempts: number): unknown {
  if (received.text === '') return undefined;
  const value = jsonOf(received.text);
  if (value !== undefined) return value;
  throw new PunctualApiError(notJson(received), { ...commonOf(received), attempts });
}

function apiError(received: Received, attempts: number, now: number): PunctualApiError {
  const { response, text } = received;
  const problem = problemOf(jsonOf(text));
  return new PunctualApiError(problem ? problemText(problem) : notJson(received), {
    ...commonOf(received),
    ...(problem && { problem }),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), now),
    attempts,
  });
}

const commonOf = ({ response }: Received) => ({
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

/** An answer in between (API Gateway's own 401, a proxy's JSON) is not one. */
function problemOf(value: unknown): Problem | undefined {
  const { status, title, detail } = Object(value) as Partial<Problem>;
  const isProblem = typeof status === 'number' && typeof title === 'string' && typeof detail === 'string';
  return isProblem ? (value as Problem) : undefined;
}

const problemText = ({ status, title, detail }: Problem): string => `${status} ${title}: ${detail}`;

const MAX_SHOWN = 200;

function notJson({ response, text }: Received): string {
  const start = text.replace(/\s+/g, ' ').trim().slice(0, MAX_SHOWN);
  const what = `${response.status} ${response.statusText}`.trim();
  if (start === '') return `${what}: an empty answer`;
  return `${what}: not an answer of this API (${response.headers.get('content-type') ?? 'no content type'}): ${start}`;
}

function noAnswer({ baseUrl }: TransportOptions, request: Request, attempts: number, cause: unknown): Error {
  const reason = reasonOf(cause);
  const open =
    request.repeatable || request.method === 'GET' ? '' : '; whether it was carried out is not known';
  const tries = attempts > 1 ? ` after ${attempts} attempts` : '';
  return new PunctualNetworkError(
    `no answer to ${request.method} ${request.path} from ${baseUrl}${tries}: ${reason}${open}`,
    attempts,
    cause,
  );
}

/** fetch says only "fetch failed"; what failed is in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}
