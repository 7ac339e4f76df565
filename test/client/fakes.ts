// A fake network and clock for the client: replies are given in order, and a sleep advances the clock immediately.
import { type ClientOptions, createClient } from '../../src/client/client.ts';
import type { ClientClock } from '../../src/client/clock.ts';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: unknown;
}

type Reply = Response | Error | ((sent: Sent) => Response | Promise<Response>);

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'r1', ...headers },
  });

export const problem = (status: number, headers: Record<string, string> = {}, more: object = {}): Response =>
  json(
    status,
    { type: 'urn:x', title: 'Title', status, detail: 'detail', requestId: 'r1', ...more },
    headers,
  );

export const connectionLost = (): Error =>
  new TypeError('fetch failed', {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  });

/** The last reply is repeated. */
export function network(...replies: Reply[]) {
  const sent: Sent[] = [];
  const fake = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(String(input));
    const request = {
      method: init.method ?? 'GET',
      path: url.pathname,
      query: url.searchParams,
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    };
    sent.push(request);
    init.signal?.throwIfAborted();
    const reply = replies[Math.min(sent.length, replies.length) - 1];
    if (reply instanceof Error) throw reply;
    return typeof reply === 'function' ? reply(request) : (reply?.clone() ?? json(200, {}));
  };
  return { sent, fetch: fake as typeof fetch };
}

export function settableClock(start = Date.UTC(2026, 10, 16)): ClientClock & { readonly slept: number[] } {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      now += ms;
    },
  };
}

/** A client on a fake network, with the maximum jitter. */
export function clientOn(replies: Reply[], options: Partial<ClientOptions> = {}) {
  const { sent, fetch } = network(...replies);
  const clock = settableClock();
  const client = createClient({
    baseUrl: 'http://punctual.test',
    token: 't',
    fetch,
    clock,
    random: () => 1,
    ...options,
  });
  return { client, sent, slept: clock.slept, clock };
}
