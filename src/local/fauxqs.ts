// Starts fauxqs, the SQS API in this process, on the loopback interface alone. Messages are in memory: those that are lost
// with the process are sent again at the next start (refill.ts).
import type { AddressInfo } from 'node:net';
import type { buildApp } from 'fauxqs';
import type { Log } from '../scheduling/context.ts';

export interface FauxqsOptions {
  /** A free one if absent. */
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

/** Its own `startFauxqs` listens on every interface whatever the host says, so the app is built and bound here. */
export async function startFauxqs(options: FauxqsOptions = {}): Promise<RunningFauxqs> {
  const { buildApp } = await load();
  const app = buildApp({ logger: false, defaultRegion: options.region ?? 'us-east-1' });
  handBackUndelivered(app);
  nameLoopback(app);
  await app.listen({ port: options.port ?? 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  options.log?.debug('fauxqs is up', { endpoint });
  return { endpoint, stop: async () => void (await app.close()) };
}

/**
 * fauxqs keeps a long poll waiting after its client has gone, and would hand that dead poll the next message: it would
 * stay invisible for the whole visibility timeout. So what cannot be delivered is made visible again at once.
 */
function handBackUndelivered(app: App): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    if (request.headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage' || typeof payload !== 'string')
      return payload;
    // the end of the connection may be waiting to be read behind the very message that woke the poll
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
 * fauxqs names its queues `http://sqs.<region>.localhost:<port>/…`, and a client that finds its endpoint in the
 * environment goes where a queue's url points: a name that not every resolver knows.
 */
function nameLoopback(app: App): void {
  app.addHook('onSend', async (request, _reply, payload) => {
    if (!/^AmazonSQS\.(CreateQueue|GetQueueUrl|ListQueues)$/.test(String(request.headers['x-amz-target'])))
      return payload;
    return String(payload).replace(/http:\/\/sqs\.[\w-]+\.localhost:/g, 'http://127.0.0.1:');
  });
}
