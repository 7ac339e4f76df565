// A web server (Express) that accepts requests of the task `http` and notifications only if their signature is right.
// `KEYS='[{"id":"k1","secret":"…"}]' PUBLIC_URL=https://hooks.example.com node receiver.ts`
import { pathToFileURL } from 'node:url';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { type SigningKey, verifySignature } from 'punctual';

/** More than a request of a job has. */
const MAX_BODY_BYTES = 1_000_000;

export interface ReceiverOptions {
  /** The keys of `punctual signing-key`. During a rotation, the old and the new one. */
  readonly keys: readonly SigningKey[];
  /** The URL by which jobs call this server. The signature covers it, so a proxy must not change it. */
  readonly publicUrl: string;
  /** Called for each request until it succeeds. A repeated delivery has the same key. */
  handle(body: string, idempotencyKey: string | undefined): Promise<void>;
}

export function createReceiver({ keys, publicUrl, handle }: ReceiverOptions): Express {
  /** In production this is a table with a unique key, written in the transaction of `handle`. */
  const handled = new Map<string, Promise<void>>();

  async function handleOnce(body: string, key: string | undefined): Promise<boolean> {
    const before = key === undefined ? undefined : handled.get(key);
    if (before) return before.then(() => false);
    const handling = handle(body, key);
    if (key !== undefined) handled.set(key, handling);
    try {
      await handling;
      return true;
    } catch (error) {
      if (key !== undefined) handled.delete(key); // the next delivery tries again
      throw error;
    }
  }

  const app = express();
  // The signature covers the bytes of the body, so express.json() must not change them before.
  app.use(express.raw({ type: () => true, limit: MAX_BODY_BYTES }));
  app.use(async (request: Request, response: Response) => {
    const body = Buffer.isBuffer(request.body) ? request.body.toString() : '';
    const isRight = await verifySignature({
      keys,
      method: request.method,
      url: `${publicUrl}${request.originalUrl}`,
      body,
      signature: request.get('punctual-signature'),
    });
    // the body is not looked at before the signature is known to be right
    if (!isRight) response.status(401).send('the signature is wrong or too old\n');
    else {
      const isNew = await handleOnce(body, request.get('idempotency-key'));
      response.send(isNew ? 'handled\n' : 'handled before\n');
    }
  });
  // Express answers an error with its stack otherwise. After a 500, Punctual sends the request again.
  app.use((error: { status?: number }, _request: Request, response: Response, _next: NextFunction) => {
    const { status = 500 } = error;
    if (status >= 500) console.error(error);
    response.status(status).send(status === 413 ? 'the body is too large\n' : 'the request failed\n');
  });
  return app;
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
