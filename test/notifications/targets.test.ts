// Each kind of event to each target: a webhook on a loopback server that verifies the signature, SNS on fauxqs, SES and
// EventBridge by their SDK calls.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { NOTIFY_ON, type NotifyEvent } from '../../src/domain/jobs/notify-events.ts';
import type { ExecutionView } from '../../src/domain/views/resource-schemas.ts';
import { type Deliverer, deliver, putOnBus } from '../../src/notifications/deliver.ts';
import type { DeliveryMessage } from '../../src/queue/notify-queue.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { notificationTargets, notificationTasks } from '../../src/tasks/aws/worker-tasks.ts';
import { addressRules } from '../../src/tasks/http/addresses.ts';
import { guardedAgent } from '../../src/tasks/http/guarded-connect.ts';
import { HostLimiter } from '../../src/tasks/http/host-limiter.ts';
import { verifySignature } from '../../src/tasks/http/signature.ts';
import { derivedKeys, newMasterKey } from '../../src/tasks/http/signing-keys.ts';
import { startQueueServer } from '../support/engines.ts';
import { aHead } from '../support/fixtures.ts';
import { local, testServices } from '../support/task-services.ts';

const master = { keys: [newMasterKey('k1')] };
const signingKeys = derivedKeys(async () => master);
const jobId = 'job_aaaaaaaaaaaaaaaaaaaa';
const execution: ExecutionView = {
  id: `${jobId}.1796119200000`,
  jobId,
  status: 'failed',
  dueAt: '2026-12-01T10:00:00.000Z',
  fireAt: '2026-12-01T10:00:00.000Z',
  trigger: 'schedule',
  attempt: 3,
  maxAttempts: 3,
  error: { name: 'Error', message: 'it did not work' },
  timeline: { dueAt: '2026-12-01T10:00:00.000Z' },
};

const message = (event: NotifyEvent, target: DeliveryMessage['target']): DeliveryMessage => ({
  kind: 'delivery',
  id: `${jobId}.${event}.0`,
  userId: 'user-1',
  target,
  payload: {
    event,
    job: { id: jobId, name: 'nightly' },
    execution,
    folded: 4,
    at: '2026-12-01T10:00:09.000Z',
  },
});

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function delivering(options: {
  loopback: boolean;
  clients?: Parameters<typeof testServices>[0];
  sns?: string[];
}) {
  const http = {
    dispatcher: guardedAgent(addressRules({ loopback: options.loopback })),
    hostLimiter: new HostLimiter({ perHost: 4 }),
    signingKeys,
  };
  const targets = notificationTargets(options.sns ?? ['*'], 'punctual@example.com', 'changes');
  const tasks = notificationTasks({ ...testServices(options.clients ?? {}), http: () => http, targets });
  const context = { clock: systemClock, log } as unknown as Deliverer['context'];
  return { context, tasks, emailFrom: 'punctual@example.com', bus: 'changes' };
}

describe('a webhook', () => {
  const got: { headers: IncomingMessage['headers']; body: string; url: string }[] = [];
  const status = { now: 204 };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push({
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      url: `${base}${request.url}`,
    });
    response.writeHead(status.now).end();
  });
  let base = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    got.length = 0;
    status.now = 204;
  });
  afterAll(() => void server.close());

  test.each(NOTIFY_ON)('gets "%s", signed and with an idempotency key', async (event) => {
    const answer = await deliver(
      delivering({ loopback: true }),
      message(event, { webhook: { url: `${base}/alert?a=1` } }),
      1,
    );
    expect(answer).toEqual({ kind: 'done' });
    expect(JSON.parse(got[0]?.body ?? '')).toEqual(message(event, { webhook: { url: '' } }).payload);
    expect(got[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': `${jobId}.${event}.0`,
      'punctual-event': event,
      'punctual-execution': execution.id,
    });
    const { body = '', url = '' } = got[0] ?? {};
    const signature = String(got[0]?.headers['punctual-signature']);
    const keys = await signingKeys.keysOf('user-1');
    expect(await verifySignature({ signature, keys, method: 'POST', url, body })).toBe(true);
    expect(await verifySignature({ signature, keys, method: 'POST', url, body: `${body} ` })).toBe(false);
    const others = await signingKeys.keysOf('user-2');
    expect(await verifySignature({ signature, keys: others, method: 'POST', url, body })).toBe(false);
  });

  test('that fails is retried with backoff, then dead-lettered with the reason', async () => {
    status.now = 500;
    const from = delivering({ loopback: true });
    const to = message('failed', { webhook: { url: `${base}/alert` } });
    expect(await deliver(from, to, 1)).toEqual({ kind: 'later', ms: 5_000 });
    expect(await deliver(from, to, 5)).toEqual({ kind: 'later', ms: 80_000 });
    expect(await deliver(from, to, 10)).toMatchObject({
      kind: 'never',
      reason: expect.stringMatching(
        /^gave up after 10 attempts; last error: UnexpectedStatus: POST .* returned 500/,
      ),
    });
  });

  test('with a URL that the task refuses is dead-lettered at once', async () => {
    const url = 'https://user:pw@example.com/';
    const answer = await deliver(delivering({ loopback: true }), message('failed', { webhook: { url } }), 1);
    expect(answer).toMatchObject({ kind: 'never', reason: expect.stringContaining('user name or password') });
    const notify = [{ on: ['failed'], webhook: { url } }];
    expect(jobSpecSchema.safeParse({ task: 'noop', notify }).error?.issues[0]?.path).toEqual([
      ...['notify', 0, 'webhook', 'url'],
    ]);
  });

  test.each(['http://127.0.0.1:8080/', 'http://169.254.169.254/latest', 'http://[::ffff:10.0.0.1]/'])(
    'at %s is refused on AWS without a retry',
    async (url) => {
      const answer = await deliver(
        delivering({ loopback: false }),
        message('failed', { webhook: { url } }),
        1,
      );
      expect(answer).toMatchObject({
        kind: 'never',
        reason: expect.stringContaining('not an address on the public'),
      });
    },
  );
});

describe('SNS', () => {
  let engine: { client: SQSClient; endpoint: string; stop(): Promise<void> };
  beforeAll(async () => {
    engine = await startQueueServer();
  });
  afterAll(() => engine.stop());

  test('a topic gets each kind of event', async () => {
    const sns = new SNSClient({ ...local, region: 'us-east-1', endpoint: engine.endpoint });
    const { TopicArn: topicArn = '' } = await sns.send(new CreateTopicCommand({ Name: 'alerts' }));
    const { QueueUrl } = await engine.client.send(new CreateQueueCommand({ QueueName: 'subscriber' }));
    const { Attributes } = await engine.client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    );
    const Endpoint = Attributes?.QueueArn;
    await sns.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: 'sqs', Endpoint }));
    const from = delivering({ loopback: true, clients: { sns } });
    for (const event of NOTIFY_ON) {
      expect(await deliver(from, message(event, { sns: { topicArn } }), 1)).toEqual({ kind: 'done' });
      const poll = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 });
      const { Messages } = await engine.client.send(poll);
      const { Message, Subject, MessageAttributes } = JSON.parse(Messages?.[0]?.Body ?? '{}');
      expect(JSON.parse(Message)).toMatchObject({ event, folded: 4, execution: { id: execution.id } });
      expect(Subject).toMatch(/^\[Punctual\] nightly /);
      expect(MessageAttributes.event.Value).toBe(event);
      const ReceiptHandle = Messages?.[0]?.ReceiptHandle;
      await engine.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
    const refused = delivering({ loopback: true, clients: { sns }, sns: ['arn:aws:sns:*:*:{user}-*'] });
    expect(await deliver(refused, message('failed', { sns: { topicArn } }), 1)).toMatchObject({
      kind: 'never',
      reason: expect.stringContaining('PUNCTUAL_ALLOW_SNS'),
    });
    sns.destroy();
  });
});

describe('SES', () => {
  const ses = mockClient(SESv2Client);
  beforeEach(() => ses.reset().on(SendEmailCommand).resolves({ MessageId: 'm' }));

  test.each(NOTIFY_ON)('sends "%s" as an e-mail', async (event) => {
    const from = delivering({ loopback: true, clients: { ses: new SESv2Client(local) } });
    expect(await deliver(from, message(event, { email: { to: 'ops@example.com' } }), 1)).toEqual({
      kind: 'done',
    });
    const [call] = ses.commandCalls(SendEmailCommand);
    expect(call?.args[0].input).toMatchObject({
      FromEmailAddress: 'punctual@example.com',
      Destination: { ToAddresses: ['ops@example.com'] },
    });
    const simple = call?.args[0].input.Content?.Simple;
    expect(simple?.Subject?.Data).toMatch(/^\[Punctual\] nightly (is|was|did|failed|succeeded)/);
    expect(simple?.Body?.Text?.Data).toContain('4 more events of this kind');
    expect(simple?.Body?.Text?.Data).toContain('Error: it did not work');
  });

  test('sends only to recipients that the configuration allows at the time of the delivery', async () => {
    const from = delivering({ loopback: true, clients: { ses: new SESv2Client(local) } });
    const to = message('failed', { email: { to: 'ops@elsewhere.example' } });
    expect(await deliver(from, to, 1)).toMatchObject({
      kind: 'never',
      reason: expect.stringContaining('PUNCTUAL_EMAIL_RECIPIENTS'),
    });
    expect(ses.commandCalls(SendEmailCommand)).toEqual([]);
  });

  test('names the variable of a missing sender, and retries when SES throttles', async () => {
    const from = delivering({ loopback: true, clients: { ses: new SESv2Client(local) } });
    const to = message('failed', { email: { to: 'ops@example.com' } });
    expect(await deliver({ ...from, emailFrom: undefined }, to, 1)).toMatchObject({
      kind: 'never',
      reason: expect.stringContaining('PUNCTUAL_NOTIFY_EMAIL_FROM'),
    });
    ses
      .on(SendEmailCommand)
      .rejects(Object.assign(new Error('slow down'), { name: 'TooManyRequestsException' }));
    expect(await deliver(from, to, 1)).toMatchObject({ kind: 'later' });
  });
});

describe('the event bus', () => {
  const eventbridge = mockClient(EventBridgeClient);
  const change = {
    kind: 'change' as const,
    change: 'failed',
    jobId,
    due: '1796119200000',
    at: Date.parse('2026-12-01T10:00:09Z'),
    execution,
  };
  beforeEach(() => eventbridge.reset());

  test('gets a change with its user, and a failed entry is retried', async () => {
    const from = delivering({ loopback: true, clients: { eventbridge: new EventBridgeClient(local) } });
    const head = aHead({ jobId, name: 'nightly', userId: 'user-1' });
    eventbridge
      .on(PutEventsCommand)
      .resolvesOnce({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'ThrottlingException' }] })
      .resolves({ FailedEntryCount: 0, Entries: [{ EventId: 'e' }] });
    expect(await putOnBus(from, head, change, 1)).toEqual({ kind: 'later', ms: 5_000 });
    expect(await putOnBus(from, head, change, 2)).toEqual({ kind: 'done' });
    const [entry] = eventbridge.commandCalls(PutEventsCommand)[1]?.args[0].input.Entries ?? [];
    expect(entry).toMatchObject({
      EventBusName: 'changes',
      Source: 'punctual',
      DetailType: 'Execution failed',
    });
    expect(JSON.parse(entry?.Detail ?? '')).toEqual({
      change: 'failed',
      userId: 'user-1',
      job: { id: jobId, name: 'nightly' },
      execution,
      at: '2026-12-01T10:00:09.000Z',
    });
  });
});
