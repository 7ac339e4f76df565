// On the real engines: the cost of notifications, and the notifier's Lambda from an event to the webhook and the dead-letter
// queue.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Context as LambdaContext, SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { publishEvents } from '../../src/notifications/publish-events.ts';
import { consume } from '../../src/notifier/consume.ts';
import { createNotifierHandler, type NotifierHandler } from '../../src/notifier/lambda.ts';
import { createNotifyQueue } from '../../src/queue/notify-queue.ts';
import type { Message } from '../../src/queue/queue.ts';
import { createNotifyQueues, type NotifyUrls } from '../../src/queue/sqs/queue-definitions.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { headToItem } from '../../src/store/items.ts';
import { DoNotRetry, defineTask } from '../../src/tasks/task.ts';
import { startDynoxide, startQueueServer } from '../support/engines.ts';
import { itemSize } from '../support/item-size.ts';
import { receivedMessage } from '../support/received-message.ts';
import { workerPort } from '../support/worker-port.ts';

const PREFIX = 'n-';
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const used = new Map<string, number>();
const writes = () => used.get('write') ?? 0;
const stops: (() => unknown)[] = [];
let sqs: SQSClient;
let urls: NotifyUrls;
let plain: Context;
let handler: NotifierHandler;
let hook = '';
const got: string[] = [];
const sent: Message[] = [];

beforeAll(async () => {
  const [tables, queues] = await Promise.all([startDynoxide(), startQueueServer()]);
  stops.push(tables.stop, queues.stop);
  sqs = queues.client;
  await createTables(tables.client, PREFIX);
  urls = await createNotifyQueues(sqs, PREFIX);
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push(body);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/alert`;

  const meter = (_operation: string, _table: string, units: { read: number; write: number }) => {
    used.set('read', (used.get('read') ?? 0) + units.read);
    used.set('write', writes() + units.write);
  };
  plain = {
    store: createDynamoStore({ client: tables.client, tablePrefix: PREFIX, shards: 1, meter }),
    queue: { send: async (messages) => void sent.push(...messages) },
    clock: systemClock,
    random: systemRandom,
    log,
    settings: { ...DEFAULT_SETTINGS, shards: 1 },
  };
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint,
    AWS_ENDPOINT_URL_SQS: queues.endpoint,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  handler = createNotifierHandler({
    PUNCTUAL_PREFIX: PREFIX,
    PUNCTUAL_NOTIFY_URL: urls.notifyUrl,
    PUNCTUAL_NOTIFY_DEAD_LETTER_URL: urls.notifyDeadLetterUrl,
    PUNCTUAL_ALLOW_HTTP: '127.0.0.1',
  });
});
beforeEach(() => {
  used.clear();
  got.length = 0;
  sent.length = 0;
});
afterAll(async () => {
  for (const stop of stops) await stop();
});

const publishingContext = () =>
  publishEvents(plain, {
    queue: createNotifyQueue({ client: sqs, queueUrl: urls.notifyUrl, timer: systemClock }),
  });

async function runFailing(context: Context, notify: unknown[]): Promise<string> {
  const spec = jobSpecSchema.parse({ task: 't', retry: { maxAttempts: 1 }, notify });
  const { job } = await createJob(context, { userId: 'u', spec });
  used.clear();
  const task = defineTask({
    name: 't',
    description: '',
    params: z.unknown(),
    run: async () => Promise.reject(new DoNotRetry('no')),
  });
  const worker = workerPort(new Map([['t', task]]));
  await handleMessage(context, worker, receivedMessage(sent.at(-1), Date.now()));
  return job.id;
}

/** Messages as the event source passes them on. `count` replaces the receive count. */
async function receive(count?: number): Promise<SQSEvent> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: urls.notifyUrl,
      WaitTimeSeconds: 3,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
    }),
  );
  const Records = Messages.map(({ MessageId = '', ReceiptHandle = '', Body = '', Attributes }) => ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: { ApproximateReceiveCount: String(count ?? Attributes?.ApproximateReceiveCount) },
  }));
  return { Records } as unknown as SQSEvent;
}

const invocation = {} as LambdaContext;
/** Handles the event, and deletes the messages that were not reported as failed, as the event source does. */
async function handleAndDelete(event: SQSEvent): Promise<string[]> {
  const { batchItemFailures } = await handler(event, invocation);
  const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  const { DeleteMessageCommand } = await import('@aws-sdk/client-sqs');
  for (const { messageId, receiptHandle } of event.Records) {
    if (failed.includes(messageId)) continue;
    await sqs.send(new DeleteMessageCommand({ QueueUrl: urls.notifyUrl, ReceiptHandle: receiptHandle }));
  }
  return failed;
}

describe('cost', () => {
  test('a job without notify costs no additional unit and sends no message', async () => {
    await runFailing(plain, []);
    const without = new Map(used);
    await runFailing(publishingContext(), []);
    expect(used).toEqual(without);
    expect((await receive()).Records).toEqual([]);
  });

  test('an event costs 2 write and 2.5 read units in the notifier: the window, and the mark of the row', async () => {
    const queue = createNotifyQueue({ client: sqs, queueUrl: urls.notifyUrl, timer: systemClock });
    const notifier = { context: plain, queue: { send: async () => {} }, windowMs: 300_000, tasks: new Map() };
    await runFailing(publishEvents(plain, { queue }), [{ on: ['failed'], webhook: { url: hook } }]);
    const event = await receive();
    used.clear();
    expect(await consume(notifier, event.Records[0]?.body ?? '', 1)).toEqual({ kind: 'done' });
    expect(Object.fromEntries(used)).toEqual({ write: 2, read: 2.5 });
    // a redelivered message of a row that is marked as notified
    used.clear();
    expect(await consume(notifier, event.Records[0]?.body ?? '', 1)).toEqual({ kind: 'done' });
    expect(Object.fromEntries(used)).toEqual({ write: 0, read: 1 });
    await handleAndDelete(event);
  });

  test('a job with notify costs no additional unit in the worker, and its event reaches the webhook', async () => {
    await runFailing(plain, []);
    const without = writes();
    await runFailing(publishingContext(), [{ on: ['failed'], webhook: { url: hook } }]);
    expect(writes()).toBe(without);
    const event = await receive();
    expect(event.Records).toHaveLength(1);
    expect(await handleAndDelete(event)).toEqual([]);
    // the Lambda's own store has no meter, so its write is read back
    const [jobId] = sent.slice(-1).map((one) => one.jobId);
    expect(await plain.store.readNotificationWindow(jobId ?? '', 'failed')).toMatchObject({ suppressed: 0 });
    const delivery = await receive();
    expect(await handleAndDelete(delivery)).toEqual([]);
    expect(JSON.parse(got[0] ?? '')).toMatchObject({ event: 'failed', job: { id: jobId }, folded: 0 });
    const page = await plain.store.listRows(jobId ?? '', { limit: 1, consistent: true, newestFirst: true });
    expect(page.items).toMatchObject([{ status: 'FAILED', told: true, notifies: 'f' }]);
  });

  test('all kinds of events take less than 40 bytes of the head', async () => {
    const context = publishingContext();
    const on = ['succeeded', 'failed', 'retrying', 'late', 'skipped'];
    const spec = jobSpecSchema.parse({ task: 't', notify: [{ on, webhook: { url: hook } }] });
    const { job } = await createJob(context, { userId: 'u', spec });
    const head = await plain.store.readHead(job.id, { consistent: true });
    if (!head) throw new Error('no head');
    expect(head.notifies).toBe('sfrkl30');
    const { notifies: _, ...bare } = head;
    expect(itemSize(headToItem(head)) - itemSize(headToItem(bare))).toBeLessThan(40);
  });
});

describe('the Lambda', () => {
  test('reports and hides a failed delivery, and dead-letters it with the reason after 10 attempts', async () => {
    const refusing = 'http://127.0.0.1:9/alert'; // discard: nobody listens
    await runFailing(publishingContext(), [{ on: ['failed'], webhook: { url: refusing } }]);
    expect(await handleAndDelete(await receive())).toEqual([]);
    const first = await receive();
    expect(first.Records).toHaveLength(1);
    expect(await handleAndDelete(first)).toEqual([first.Records[0]?.messageId]);
    expect((await receive()).Records).toEqual([]); // hidden for 5 s
    const again = await receive(10);
    expect(again.Records).toHaveLength(1);
    expect(await handleAndDelete(again)).toEqual([]);
    const { Messages } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: urls.notifyDeadLetterUrl,
        WaitTimeSeconds: 2,
        MessageAttributeNames: ['All'],
      }),
    );
    expect(Messages).toHaveLength(1);
    expect(Messages?.[0]?.MessageAttributes?.reason?.StringValue).toMatch(
      /^gave up after 10 attempts; last error: NoAnswer/,
    );
  });

  test('dead-letters a message that it cannot parse', async () => {
    const event = { Records: [{ messageId: '1', receiptHandle: 'x', body: 'hello', attributes: {} }] };
    expect(await handler(event as unknown as SQSEvent, invocation)).toEqual({ batchItemFailures: [] });
  });
});
