// The HTTP server of local mode, in place of API Gateway. It passes requests to the API's handler as events (payload 2.0) and
// sends the responses. The size of a body is limited while it is read.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MAX_BODY_BYTES } from '../api/http/body.ts';
import type { ApiHandler, HttpEvent, HttpResponse } from '../api/http/http-event.ts';
import type { Log } from '../scheduling/context.ts';
import { endpointText } from './server-proof.ts';
import { StartError } from './start-error.ts';

export interface HttpServer {
  readonly url: string;
  /** Accepts no new requests and waits up to `STOP_DEADLINE_MS` for open ones. */
  stop(): Promise<void>;
}

const STOP_DEADLINE_MS = 5_000;
const LOOPBACK = '127.0.0.1';

/** Listens at once, so that a port in use is reported first. Requests wait for the handler. */
export async function startHttpServer(
  port: number,
  handler: Promise<ApiHandler>,
  log: Log,
  host = LOOPBACK,
): Promise<HttpServer> {
  const server = createServer(
    { keepAliveTimeout: 65_000, requestTimeout: 30_000 },
    async (request, response) => {
      try {
        await answer(await handler, request, response);
      } catch (error) {
        // the handler answers every error itself, so the client has disconnected
        log.debug('request not answered', { error });
        response.destroy();
      }
    },
  );
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'EADDRINUSE') {
      throw new StartError(
        `port ${port} is in use. Stop the process that listens on it, or set PUNCTUAL_PORT to another port (0 picks a free one).`,
      );
    }
    if (error.code === 'EADDRNOTAVAIL')
      throw new StartError(`${host} is not an address of this machine. Set PUNCTUAL_HOST to one that is.`);
    if (error.code === 'EACCES')
      throw new StartError(
        `this user may not listen on port ${port}. Set PUNCTUAL_PORT to a port above 1023.`,
      );
    throw error;
  }
  const address = server.address() as AddressInfo;
  return { url: `http://${reachable(host)}:${address.port}`, stop: () => stop(server) };
}

/** An address for URLs. A listener on all addresses is reached by the loopback one. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return LOOPBACK;
  return host.includes(':') ? `[${host}]` : host;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), STOP_DEADLINE_MS);
  await closed;
  clearTimeout(timer);
}

async function answer(
  handler: ApiHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const bytes = await readBody(request);
  const event = eventOf(request, bytes);
  const { statusCode = 200, headers = {}, body, isBase64Encoded }: HttpResponse = await handler(event);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  response.statusCode = statusCode;
  response.end(isBase64Encoded ? Buffer.from(body ?? '', 'base64') : body);
}

/**
 * Reads at most `MAX_BODY_BYTES` + 1, which is enough for the handler to refuse the body. Node discards the rest after the
 * response. If the connection were closed while the client sends, the client would lose the response.
 */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  // leaving a `for await` loop early would destroy the socket
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request.on('data', (chunk: Buffer) => {
    if (length > MAX_BODY_BYTES) return;
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_BODY_BYTES) resolve();
  });
  request.once('end', resolve);
  // `close` is emitted after a complete body too, and an error is costly to create
  request.once('close', () => {
    if (!request.complete) reject(new Error('the client disconnected'));
  });
  await promise;
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES + 1);
}

function eventOf(request: IncomingMessage, bytes: Buffer): HttpEvent {
  const [path = '/', query = ''] = splitOnce(request.url ?? '/', '?');
  const now = Date.now();
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) headers[name] = String(value);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers,
    requestContext: {
      accountId: 'local',
      apiId: 'local',
      domainName: 'localhost',
      domainPrefix: 'localhost',
      http: {
        method: request.method ?? 'GET',
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: request.headers['user-agent'] ?? '',
      },
      arrivedAt: endpointText(request.socket.localAddress, request.socket.localPort),
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date(now).toISOString(),
      timeEpoch: now,
    },
    body: bytes.length > 0 ? bytes.toString('base64') : undefined,
    isBase64Encoded: bytes.length > 0,
  };
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
