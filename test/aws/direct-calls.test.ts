// Calls past the SDK's machinery, against a server that answers as it is told: what succeeds looks as if the SDK had sent
// it, and whatever fails is the SDK's.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BatchGetItemCommand, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { RetryStrategyV2 } from '@smithy/types';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Clients, createClients } from '../../src/aws/clients.ts';
import { createSigner } from '../../src/aws/sigv4.ts';

interface Seen {
  readonly operation: string;
  readonly bySdk: boolean;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Answer = (seen: Seen, response: ServerResponse) => void;

const ITEM = { jobId: { S: 'job_a' }, leaseUntil: { N: '1800000000000' }, note: { S: 'ü 🎉' } };
const ANSWERS: Record<string, unknown> = {
  BatchGetItem: { Responses: { jobs: [ITEM] }, UnprocessedKeys: {} },
  GetItem: { Item: ITEM },
  Query: { Items: [ITEM, ITEM], Count: 2, ScannedCount: 2 },
  ReceiveMessage: { Messages: [{ MessageId: 'm', ReceiptHandle: 'h', Body: '{"a":1}' }] },
  DeleteMessageBatch: { Successful: [{ Id: '0' }], Failed: [] },
};

const seen: Seen[] = [];
/** For the next requests, one each; after them all is well. */
const answers: Answer[] = [];
let endpoint: string;
let clients: Clients;

const say = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
const fails =
  (status: number, type: string, headers = {}): Answer =>
  (_, response) =>
    say(response, status, { __type: type, message: 'no' }, headers);

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
  const bySdk = request.headers['amz-sdk-invocation-id'] !== undefined;
  const one = { operation, bySdk, headers: request.headers, body: Buffer.concat(chunks).toString() };
  seen.push(one);
  const answer = answers.shift();
  if (answer) answer(one, response);
  else say(response, 200, ANSWERS[operation]);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
let passedMs = 0;
const monotonic = performance.now.bind(performance);
beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + passedMs);
  seen.length = 0;
  answers.length = 0;
  clients = createClients({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKID', secretAccessKey: 'one' },
    endpoints: { dynamodb: endpoint, sqs: endpoint },
    direct: true,
  });
});
afterEach(() => {
  clients.destroy();
  vi.restoreAllMocks();
});

const queue = (name = 'work') => `${endpoint}/queue/${name}`;
const batchGet = () =>
  clients.dynamodb.send(
    new BatchGetItemCommand({ RequestItems: { jobs: { Keys: [{ jobId: { S: 'ü' } }] } } }),
  );
const receive = (abortSignal?: AbortSignal) =>
  clients.sqsPolls.send(new ReceiveMessageCommand({ QueueUrl: queue(), MaxNumberOfMessages: 10 }), {
    abortSignal,
  });
/** When the pause after a failure is over. */
function later<T>(call: () => Promise<T>): Promise<T> {
  passedMs += 1_001;
  return call();
}
const ways = () => seen.map(({ bySdk }) => (bySdk ? 'sdk' : 'direct'));
const without$ = ({ $metadata: _, ...output }: { $metadata: unknown }) => output;

test.each([
  ['BatchGetItem', () => batchGet()],
  [
    'Query',
    () => clients.dynamodb.send(new QueryCommand({ TableName: 'jobs', KeyConditionExpression: 'a = :a' })),
  ],
  ['ReceiveMessage', () => receive()],
  [
    'DeleteMessageBatch',
    () =>
      clients.sqs.send(
        new DeleteMessageBatchCommand({ QueueUrl: queue(), Entries: [{ Id: '0', ReceiptHandle: 'h' }] }),
      ),
  ],
])('%s: the first shows the way, the others ask and answer the same', async (operation, call) => {
  const outputs = [without$(await call()), without$(await call()), without$(await call())];
  expect(ways()).toEqual(['sdk', 'direct', 'direct']);
  expect(outputs[1]).toEqual(outputs[0]);
  const [first, second] = seen;
  expect(second?.operation).toBe(operation);
  expect(JSON.parse(second?.body ?? '')).toEqual(JSON.parse(first?.body ?? ''));
  for (const name of ['host', 'content-type', 'x-amz-target', 'user-agent', 'content-length'])
    expect(second?.headers[name], name).toBe(first?.headers[name]);
});

test('a request is signed for the region and the service, with the credentials of the moment', async () => {
  clients.destroy();
  const given = { accessKeyId: 'AKID', secretAccessKey: 'one', expiration: new Date(Date.now() + 1) };
  const provide = vi.fn(async () => ({ ...given, sessionToken: `token${provide.mock.calls.length}` }));
  clients = createClients({
    region: 'eu-west-1',
    credentials: provide as never,
    endpoints: { dynamodb: endpoint },
    direct: true,
  });
  const sign = createSigner({ region: 'eu-west-1', service: 'dynamodb' });
  for (let i = 0; i < 3; i++) await batchGet();
  const tokens = seen.map(({ headers }) => headers['x-amz-security-token']);
  expect(new Set(tokens).size).toBe(3);
  for (const { headers, body } of seen.slice(1)) {
    const stamp = String(headers['x-amz-date']);
    const at = Date.parse(stamp.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));
    const named = ['content-type', 'host', 'x-amz-target'].map((name) => [name, String(headers[name])]);
    const who = { ...given, sessionToken: String(headers['x-amz-security-token']) };
    expect(headers.authorization).toBe(sign(Object.fromEntries(named), body, who, at).authorization);
  }
});

test('what is not one of them stays with the SDK, and every queue is learned by itself', async () => {
  const get = () =>
    clients.dynamodb.send(new GetItemCommand({ TableName: 'jobs', Key: { jobId: { S: 'a' } } }));
  await get();
  await get();
  for (const name of ['work', 'other', 'work', 'other'])
    await clients.sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queue(name), Entries: [] }));
  expect(ways()).toEqual(['sdk', 'sdk', 'sdk', 'sdk', 'direct', 'direct']);
});

const FAILURES: [string, Answer][] = [
  ['is throttled', fails(400, 'ProvisionedThroughputExceededException')],
  ['meets a server in trouble', fails(500, 'InternalServerError')],
  ['loses its connection', (_, response) => response.destroy()],
  [
    'loses its connection in the middle of an answer',
    (_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{"Responses":');
      setTimeout(() => response.destroy(), 20);
    },
  ],
  ['is answered in part', (_, response) => response.writeHead(200).write('{"Responses":')],
  ['is answered with something else', (_, response) => say(response, 200, '<html>')],
  ['is answered with nothing', (_, response) => say(response, 200, '')],
];
test.each(FAILURES)(
  'one that %s is made again by the SDK, and so is all for a while',
  async (_name, failure) => {
    const expected = without$(await batchGet());
    answers.push(failure);
    expect(without$(await batchGet())).toEqual(expected);
    await batchGet();
    expect(ways()).toEqual(['sdk', 'direct', 'sdk', 'sdk']);
    await later(batchGet);
    expect(ways().at(-1)).toBe('direct');
  },
  20_000,
);

test('before that it waits as long as the SDK would, unless it is refused for good', async () => {
  await batchGet();
  const strategy = (await clients.dynamodb.config.retryStrategy()) as RetryStrategyV2;
  const wait = vi.spyOn(strategy, 'refreshRetryTokenForRetry');
  const waitsFor = async (failure: Answer) => {
    wait.mockClear();
    answers.push(failure);
    await later(batchGet);
    return wait.mock.calls.map(([, { errorType }]) => errorType);
  };
  expect(await waitsFor(fails(400, 'ThrottlingException'))).toEqual(['THROTTLING']);
  expect(await waitsFor(fails(400, 'com.amazonaws#ProvisionedThroughputExceededException'))).toEqual([
    'THROTTLING',
  ]);
  expect(await waitsFor(fails(503, 'ServiceUnavailable'))).toEqual(['TRANSIENT']);
  expect(await waitsFor((_, response) => response.destroy())).toEqual(['TRANSIENT']);
  expect(await waitsFor(fails(400, 'ValidationException'))).toEqual([]);
});

test('what succeeds earns the retries of what does not', async () => {
  await batchGet();
  const strategy = (await clients.dynamodb.config.retryStrategy()) as RetryStrategyV2 & {
    getCapacity(): number;
  };
  const full = strategy.getCapacity();
  answers.push(...Array(5).fill(fails(500, 'InternalServerError')));
  await expect(later(batchGet)).rejects.toThrow('no');
  expect(ways()).toEqual(['sdk', 'direct', 'sdk', 'sdk', 'sdk', 'sdk']);
  const spent = full - strategy.getCapacity();
  expect(spent).toBeGreaterThan(10);
  for (let i = 0; i < spent; i++) await later(batchGet);
  expect(strategy.getCapacity()).toBe(full);
});

test('an endpoint with a path is left to the SDK', async () => {
  clients.destroy();
  const credentials = { accessKeyId: 'AKID', secretAccessKey: 'one' };
  clients = createClients({
    region: 'eu-west-1',
    credentials,
    endpoints: { dynamodb: `${endpoint}/base` },
    direct: true,
  });
  await batchGet();
  await batchGet();
  expect(ways()).toEqual(['sdk', 'sdk']);
});

test('an error is the one that the SDK would have thrown', async () => {
  await batchGet();
  answers.push(fails(400, 'ResourceNotFoundException'), fails(400, 'ResourceNotFoundException'));
  await expect(batchGet()).rejects.toMatchObject({ name: 'ResourceNotFoundException', message: 'no' });
});

test('a poll that is aborted ends, and is not made again', async () => {
  await receive();
  answers.push(() => {});
  const aborting = new AbortController();
  const poll = receive(aborting.signal);
  setTimeout(() => aborting.abort(), 50);
  await expect(poll).rejects.toMatchObject({ name: 'AbortError' });
  expect(ways()).toEqual(['sdk', 'direct']);
  // and is nothing to be careful after
  await receive();
  expect(ways().at(-1)).toBe('direct');
});

test('a clock that is wrong is corrected by the SDK, for both', async () => {
  const behind = 3_600_000;
  const serverTime = () => ({ date: new Date(Date.now() + behind).toUTCString() });
  await batchGet();
  answers.push(
    fails(403, 'RequestTimeTooSkewed', serverTime()),
    fails(403, 'RequestTimeTooSkewed', serverTime()),
  );
  answers.push((_, response) => say(response, 200, ANSWERS.BatchGetItem, serverTime()));
  await batchGet();
  await later(batchGet);
  const last = seen.at(-1);
  expect(last?.bySdk).toBe(false);
  const stamp = String(last?.headers['x-amz-date']).replace(
    /(....)(..)(..)T(..)(..)(..)Z/,
    '$1-$2-$3T$4:$5:$6Z',
  );
  expect(Math.abs(Date.parse(stamp) - Date.now() - behind)).toBeLessThan(60_000);
});

test('many at once share the connections of the client', async () => {
  await batchGet();
  const opened = new Set<unknown>();
  server.on('connection', (socket) => opened.add(socket));
  await Promise.all(Array.from({ length: 50 }, batchGet));
  const before = opened.size;
  await Promise.all(Array.from({ length: 50 }, batchGet));
  expect(opened.size).toBe(before);
  expect(ways().filter((way) => way === 'sdk')).toHaveLength(1);
});
