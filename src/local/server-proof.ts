// The proof that a program on a port is the server of a data folder. Without it, a token for a server that does not run would go
// to any user of the machine who listens on its port meanwhile.
//
// The caller sends a nonce. The server answers with its start, and with a code that only a reader of the folder's key can compute,
// over the nonce, the start, and the machine, address and port that the request arrived at. A relay arrives at another address
// than the caller has connected to. An old answer has another nonce.
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { hostname } from 'node:os';
import type { JWK } from 'jose';
import { z } from 'zod';
import type { ApiHandler } from '../api/http/http-event.ts';
import { parse } from '../domain/validation/validation.ts';

export const PROOF_PATH = '/.well-known/punctual-server';

/** A server that is starting accepts connections before it answers. */
const DEADLINE_MS = 30_000;
const MAX_ANSWER_BYTES = 1_000;
const nonceSchema = z.string().regex(/^[\w-]{22,64}$/);
const answerSchema = z.object({ start: z.string(), proof: z.string() });

/** What a server proves itself with. */
export interface ServerIdentity {
  /** The key that signs the tokens of its data folder. */
  readonly key: JWK;
  /** The id of this start of the server. */
  readonly start: string;
}

/** Something listens at the address, and it is not the server of the data folder. */
export class NotProven extends Error {
  override readonly name = 'NotProven';
  constructor() {
    super('the program that listens there is not the server of the data folder');
  }
}

export function withServerProof(api: ApiHandler, { key, start }: ServerIdentity): ApiHandler {
  return async (event, context) => {
    const { http, arrivedAt } = event.requestContext;
    const isAsked = event.rawPath === PROOF_PATH && http.method === 'GET' && arrivedAt !== undefined;
    const nonce = isAsked ? nonceSchema.safeParse(event.rawQueryString).data : undefined;
    if (nonce === undefined || arrivedAt === undefined) return api(event, context);
    const proof = codeOf(key, nonce, arrivedAt, start).toString('base64url');
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    return { statusCode: 200, headers, body: JSON.stringify({ start, proof }) };
  };
}

export interface ProvenServer {
  /** The URL with the IP address that has proved itself. A name such as localhost may mean another address at the next connection. */
  readonly origin: string;
  readonly start: string;
}

/** Throws NotProven, or the error of the connection. */
export async function proveServer(server: URL, key: JWK): Promise<ProvenServer> {
  if (server.protocol !== 'http:') throw new NotProven();
  const nonce = randomBytes(24).toString('base64url');
  const { text, reached } = await ask(server, `${PROOF_PATH}?${nonce}`);
  const { value } = parse(answerSchema, jsonOf(text));
  if (!value) throw new NotProven();
  const expected = codeOf(key, nonce, reached, value.start);
  const given = Buffer.from(value.proof, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new NotProven();
  return { origin: `http://${reached}`, start: value.start };
}

/** An IP address and a port as in a URL. An IPv4 address of a socket for both families is written as IPv4. */
export function endpointText(address = '', port = 0): string {
  const ip = address.replace(/^::ffff:(?=\d+\.)/, '');
  return `${ip.includes(':') ? `[${ip}]` : ip}:${port}`;
}

/** The code has a key of its own, so that no answer can be used as a token. */
function codeOf(key: JWK, nonce: string, endpoint: string, start: string): Buffer {
  const secret = hkdfSync('sha256', String(key.d), '', 'punctual server proof', 32);
  return createHmac('sha256', Buffer.from(secret))
    .update(JSON.stringify([nonce, machine(), endpoint, start]))
    .digest();
}

/** In a container the same address and port are another server. */
function machine(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/net')}`;
  } catch {
    return hostname();
  }
}

/** The answer, and the endpoint of the connection that it came over. */
async function ask(server: URL, path: string): Promise<{ text: string; reached: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const sent = request({ host, port: server.port || 80, path, signal, agent: false }, resolve);
  sent.once('error', reject).end();
  try {
    const response = await promise;
    const { remoteAddress, remotePort } = response.socket;
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_ANSWER_BYTES) throw new NotProven();
      chunks.push(chunk);
    }
    return { text: Buffer.concat(chunks).toString(), reached: endpointText(remoteAddress, remotePort) };
  } finally {
    sent.destroy();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
