// A loopback proxy in front of an engine. It records every call, and rules decide what happens to it. A test can stop a call
// before it reaches the engine, or before the response reaches the caller.
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Call {
  /** `UpdateItem`, `SendMessageBatch`, … */
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as it came: enough to ask whether a name or an id occurs in it. */
  readonly text: string;
  /** The same for all tries of one call. */
  readonly invocation: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** `send` hands the call (or another body) to the engine. Undefined: the connection is cut without an answer. */
export type Rule = (
  call: Call,
  send: (body?: Record<string, unknown>) => Promise<Answer>,
) => Promise<Answer | undefined>;

export type Match = (call: Call) => boolean;

export interface EngineProxy {
  readonly url: string;
  /** All calls, with their responses. */
  readonly calls: { readonly operation: string; readonly text: string; answer?: string }[];
  /** The address of the engine. It may change while the proxy runs. */
  upstream: string;
  /** The rule for calls that are not stopped. If it is absent, they go to the engine. */
  rule: Rule | undefined;
  /** Resolves when the next matching call arrives. That call never reaches the engine. */
  stopBefore(match: Match): Promise<Call>;
  /** Resolves when the next matching call has taken effect. Its response never arrives. */
  stopAfter(match: Match): Promise<Call>;
  /** Resolves when the next matching call arrives. The call continues when it is released. */
  pause(match: Match): Promise<{ release(): void }>;
  stop(): Promise<void>;
}

interface Point {
  readonly kind: 'before' | 'after' | 'pause';
  readonly match: Match;
  reached(value: Reached): void;
}

interface Reached {
  readonly call: Call;
  release(): void;
}

/** The longest wait for a call to stop. A call that never comes is a mistake in the test. */
const PATIENCE_MS = 30_000;
const nothing = (): void => {};

const NEVER = new Promise<undefined>(() => {});

export async function startProxy(upstream: string): Promise<EngineProxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  const points = new Set<Point>();
  const calls: EngineProxy['calls'] = [];
  const take = (call: Call, kind: Point['kind']): Point | undefined => {
    const found = [...points].find((p) => p.kind === kind && p.match(call));
    if (found) points.delete(found);
    return found;
  };

  async function decide(call: Call, send: (body?: Record<string, unknown>) => Promise<Answer>) {
    const before = take(call, 'before');
    if (before) {
      before.reached({ call, release: nothing });
      return NEVER;
    }
    const after = take(call, 'after');
    if (after) {
      await send();
      after.reached({ call, release: nothing });
      return NEVER;
    }
    const pause = take(call, 'pause');
    if (pause) {
      const { promise, resolve } = Promise.withResolvers<void>();
      pause.reached({ call, release: resolve });
      await promise;
    }
    return proxy.rule ? proxy.rule(call, send) : send();
  }

  const server = createServer(async (incoming, response) => {
    const gone = new AbortController();
    // a call ends with its caller, because an abandoned long poll must not receive messages
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    try {
      const text = await textOf(incoming);
      const call: Call = {
        operation: String(incoming.headers['x-amz-target']).split('.').at(-1) ?? '',
        body: JSON.parse(text || '{}'),
        text,
        invocation: String(incoming.headers['amz-sdk-invocation-id']),
      };
      const record: EngineProxy['calls'][number] = { operation: call.operation, text };
      calls.push(record);
      const send = (body?: Record<string, unknown>) =>
        forward(proxy.upstream, incoming, body ? JSON.stringify(body) : text, agent, gone.signal);
      const answer = await decide(call, send);
      if (!answer) return response.destroy();
      record.answer = JSON.stringify(answer.body);
      respond(response, answer);
    } catch {
      // the engine is down, or the caller has gone
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const point = async (kind: Point['kind'], match: Match): Promise<Reached> => {
    const { promise, resolve, reject } = Promise.withResolvers<Reached>();
    points.add({ kind, match, reached: resolve });
    const timer = setTimeout(() => reject(new Error(`no call came to be stopped (${kind})`)), PATIENCE_MS);
    return promise.finally(() => clearTimeout(timer));
  };
  const proxy: EngineProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upstream,
    calls,
    rule: undefined,
    stopBefore: async (match) => (await point('before', match)).call,
    stopAfter: async (match) => (await point('after', match)).call,
    pause: (match) => point('pause', match),
    async stop() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
      await once(server, 'close');
    },
  };
  return proxy;
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function respond(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-requestid': 'proxied',
  });
  response.end(JSON.stringify(body));
}

async function forward(
  upstream: string,
  incoming: IncomingMessage,
  text: string,
  agent: Agent,
  signal: AbortSignal,
): Promise<Answer> {
  const { host: _host, 'content-length': _length, connection: _connection, ...headers } = incoming.headers;
  const outgoing = request(`${upstream}${incoming.url}`, {
    method: incoming.method,
    headers: { ...headers, 'content-length': Buffer.byteLength(text) },
    agent,
    signal,
  });
  outgoing.end(text);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const body = await textOf(response);
  return { status: response.statusCode ?? 500, body: JSON.parse(body || '{}') };
}
