// Starts fauxqs, the SQS API in this process, on the loopback interface only. Messages are in memory. The next start sends lost
// messages again (refill-queue.ts).
import type { AddressInfo } from 'node:net';
import type { buildApp } from 'fauxqs';
import type { Log } from '../scheduling/context.ts';

export interface FauxqsOptions {
  /** Undefined: a free port. */
  readonly port?: number;
  readonly region?: string;
  readonly log?: Log;
}

export interface RunningFauxqs {
  readonly endpoint: string;
  stop(): Promise<void>;
}

type App = ReturnType<typeof buildApp>;

const load = () =>
  import('fauxqs').catch((cause: unknown) => {
    throw new Error(
      'the package fauxqs is not installed. Run `npm ci` without --omit, or set AWS_ENDPOINT_URL to any SQS endpoint.',
      { cause },
    );
  });

/** The package's own `startFauxqs` listens on every interface and ignores the host, so the app is bound here. */
export async function startFauxqs(options: FauxqsOptions = {}): Promise<RunningFauxqs> {
  const { buildApp } = await load();
  const app = buildApp({ logger: false, defaultRegion: options.region ?? 'us-east-1' });
  returnUndelivered(app);
  useLoopbackUrls(app);
  await app.listen({ port: options.port ?? 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  options.log?.debug('fauxqs started', { endpoint });
  return { endpoint, stop: async () => void (await app.close()) };
}

/**
 * fauxqs keeps a long poll open after its client has disconnected, and gives it the next message. That message would be
 * invisible for the whole visibility timeout. So a message that cannot be delivered is made visible again at once.
 */
function returnUndelivered(app: App): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    if (request.headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage' || typeof payload !== 'string')
      return payload;
    // the socket's end event may still be queued behind the message that woke the poll
    await new Promise((resolve) => setImmediate(resolve));
    const { socket } = request.raw;
    if (!socket.destroyed && !socket.readableEnded && !socket.writableEnded) return payload;
    const { QueueUrl } = request.body as { QueueUrl: string };
    const received = JSON.parse(payload) as { Messages?: { ReceiptHandle: string }[] };
    for (const { ReceiptHandle } of received.Messages ?? []) {
      await app.inject({
        method: 'POST',
        url: '/',
        headers: {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'AmazonSQS.ChangeMessageVisibility',
        },
        payload: JSON.stringify({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
      });
    }
    return payload;
  });
}

/**
 * The queue URLs of fauxqs are `http://sqs.<region>.localhost:<port>/…`. A client without an explicit endpoint sends its requests
 * to the queue's URL, and not every resolver knows that name. So the URLs get the address 127.0.0.1.
 */
function useLoopbackUrls(app: App): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    if (!/^AmazonSQS\.(CreateQueue|GetQueueUrl|ListQueues)$/.test(String(request.headers['x-amz-target'])))
      return payload;
    return String(payload).replace(/http:\/\/sqs\.[\w-]+\.localhost:/g, 'http://127.0.0.1:');
  });
}
