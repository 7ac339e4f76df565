// A web server that accepts requests of the task `http` and notifications only if their signature is right.
// `KEYS='[{"id":"k1","secret":"…"}]' PUBLIC_URL=https://hooks.example.com node receiver.ts`
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { pathToFileURL } from 'node:url';
import { type SigningKey, verifySignature } from 'punctual';

/** More than a request of a job has. */
const MAX_BODY_BYTES = 1_000_000;

export interface ReceiverOptions {
  /** The keys of `npm run signing-key`. During a rotation, the old and the new one. */
  readonly keys: readonly SigningKey[];
  /** The URL by which jobs call this server. The signature covers it, so a proxy must not change it. */
  readonly publicUrl: string;
  /** Called for each request once. A repeated delivery has the same key. */
  handle(body: string, idempotencyKey: string | undefined): Promise<void>;
}

export function createReceiver({ keys, publicUrl, handle }: ReceiverOptions): Server {
  /** In production this is a table with a unique key, written in the transaction of `handle`. */
  const handled = new Set<string>();
  return createServer(async (request, response) => {
    const answer = (status: number, text: string) => response.writeHead(status).end(`${text}\n`);
    const body = await readBody(request);
    if (body === undefined) return answer(413, 'the body is too large');
    const isRight = await verifySignature({
      keys,
      method: request.method ?? '',
      url: `${publicUrl}${request.url}`,
      body,
      signature: headerOf(request, 'punctual-signature'),
    });
    // the body is not looked at before the signature is known to be right
    if (!isRight) return answer(401, 'the signature is wrong or too old');
    const key = headerOf(request, 'idempotency-key');
    if (key !== undefined && handled.has(key)) return answer(200, 'handled before');
    await handle(body, key);
    if (key !== undefined) handled.add(key);
    return answer(200, 'handled');
  });
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const keys = JSON.parse(process.env.KEYS ?? '[]') as SigningKey[];
  const publicUrl = process.env.PUBLIC_URL ?? 'http://127.0.0.1:8080';
  createReceiver({
    keys,
    publicUrl,
    handle: async (body, key) => console.log(`handled ${key}: ${body}`),
  }).listen(8080, () => console.log(`listens on port 8080 for ${publicUrl}`));
}
