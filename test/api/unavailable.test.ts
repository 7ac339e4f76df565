// Transient errors of DynamoDB and SQS: the response is 503 with Retry-After, on Lambda and in local mode. The SDK clients
// call real engines through a proxy that fails.
import type { Context as LambdaContext } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { problemOf } from '../../src/api/http/problem.ts';
import { createService } from '../../src/api/lambda.ts';
import { newIdentity, startLocalApi } from '../../src/local/components.ts';
import { readLocalConfig } from '../../src/local/config.ts';
import { connect } from '../../src/local/connect.ts';
import { startHttpServer } from '../../src/local/http-server.ts';
import { createIngestQueues, createQueues } from '../../src/queue/sqs/queue-definitions.ts';
import { createLog } from '../../src/runtime/log.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { eventOf } from '../support/api-events.ts';
import { startDynoxide, startQueueServer } from '../support/engines.ts';
import { type EngineProxy, type Rule, startProxy } from '../support/faults/proxy.ts';
import { type Folder, client as localClient, temporaryFolder } from '../support/processes.ts';
import { testApi } from './api.ts';

const log = createLog('silent');
const stops: (() => unknown)[] = [];
let folder: Folder;
let dynamodb: EngineProxy;
let sqs: EngineProxy;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null | undefined;
  readonly body: { type?: string; status?: number; title?: string };
}
type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<Answer>;
const apis: Record<string, Call> = {};

beforeAll(async () => {
  const [tables, queues] = await Promise.all([startDynoxide(), startQueueServer()]);
  [dynamodb, sqs] = await Promise.all([startProxy(tables.endpoint), startProxy(queues.endpoint)]);
  folder = temporaryFolder();
  stops.push(
    () => dynamodb.stop(),
    () => sqs.stop(),
    () => tables.stop(),
    () => queues.stop(),
    () => folder.remove(),
  );
  await createTables(tables.client, 'faulty-');
  const { queueUrls, deadLetterUrl } = await createQueues(queues.client, 'faulty-', 1);
  const { ingestUrl } = await createIngestQueues(queues.client, 'faulty-');
  const behindProxy = (url: string) => url.replace(queues.endpoint, sqs.url);
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
    AWS_ENDPOINT_URL_SQS: sqs.url,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
  });
  const env = {
    PUNCTUAL_PREFIX: 'faulty-',
    PUNCTUAL_QUEUE_URLS: queueUrls.map(behindProxy).join(),
    PUNCTUAL_DEAD_LETTER_URL: behindProxy(deadLetterUrl),
    PUNCTUAL_INGEST_URL: behindProxy(ingestUrl),
  };
  const services = { GET: createService('query', env), POST: createService('scheduler', env) };
  apis.lambda = async (method, path, body) => {
    const invocation = { awsRequestId: '1' } as LambdaContext;
    const answer = await services[method](eventOf(method, path, { body }), invocation);
    const { statusCode: status = 0, headers = {} } = answer;
    return { status, retryAfter: headers['retry-after'] as string, body: JSON.parse(answer.body ?? '{}') };
  };

  const stopping = new AbortController();
  const running = { stopping: stopping.signal, defer: () => {}, fail: () => {} };
  const config = readLocalConfig({ PUNCTUAL_DATA: folder.path, PUNCTUAL_PREFIX: 'local-' });
  const backend = await connect(config, { dynamodb: dynamodb.url, sqs: sqs.url }, running, log);
  const scripts = { name: 'refused', summary: '' } as const;
  const identity = await newIdentity(config.dataFolder);
  // Through the proxy, because the addresses that the engine returns bypass it.
  const server = await startHttpServer(0, startLocalApi(config, backend, scripts, identity, running), log);
  stops.unshift(
    () => stopping.abort(),
    () => server.stop(),
  );
  const me = localClient(server.url, folder.path, 'me');
  apis.local = async (method, path, body) => {
    const answer = await me(method, path, body);
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: answer.body };
  };
});
afterAll(async () => {
  for (const stop of stops) await stop();
});
beforeEach(() => {
  dynamodb.rule = undefined;
  sqs.rule = undefined;
});

const failing =
  (status: number, type: string): Rule =>
  async () => ({ status, body: { __type: type, message: 'what AWS says' } });
const cut: Rule = async () => undefined;
/** The API continues to poll for accepted jobs. */
const sends =
  (rule: Rule): Rule =>
  (call, send) =>
    call.operation.startsWith('SendMessage') ? rule(call, send) : send();

async function expectUnavailable(call: Promise<Answer>): Promise<void> {
  const { status, retryAfter, body } = await call;
  expect(body).toMatchObject({ type: 'urn:punctual:problem:unavailable', status: 503 });
  expect([status, Number(retryAfter)]).toEqual([503, 1]);
}

// The SDK waits between its attempts, so both APIs are called at the same time.
describe('the APIs of Lambda and local mode', () => {
  const call = (...args: Parameters<Call>) =>
    ['lambda', 'local'].map((name) => apis[name]?.(...args) ?? expect.fail(name));
  const statuses = async (...args: Parameters<Call>) =>
    (await Promise.all(call(...args))).map(({ status }) => status);
  const job = { task: 'noop', schedule: { every: 'PT1M' } };

  it.each([
    ['InternalServerError', failing(500, 'com.amazonaws.dynamodb.v20120810#InternalServerError')],
    ['a 500 without a name', failing(500, '')],
    ['a bad gateway', failing(502, '')],
    ['ServiceUnavailable', failing(503, 'com.amazon.coral.availability#ServiceUnavailableException')],
    ['ThrottlingException', failing(400, 'com.amazon.coral.availability#ThrottlingException')],
    [
      'ProvisionedThroughputExceededException',
      failing(400, 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException'),
    ],
    ['RequestLimitExceeded', failing(400, 'com.amazonaws.dynamodb.v20120810#RequestLimitExceeded')],
    ['a cut connection', cut],
  ])('DynamoDB: %s is 503', { timeout: 60_000 }, async (_, rule) => {
    dynamodb.rule = rule;
    await Promise.all([...call('GET', '/jobs'), ...call('POST', '/jobs', job)].map(expectUnavailable));
    dynamodb.rule = undefined;
    expect(await statuses('GET', '/jobs')).toEqual([200, 200]);
  });

  it.each([
    ['QueueDoesNotExist', failing(400, 'com.amazonaws.sqs#QueueDoesNotExist')],
    ['NonExistentQueue', failing(400, 'com.amazonaws.sqs#AWS.SimpleQueueService.NonExistentQueue')],
    ['InternalFailure', failing(500, 'com.amazonaws.sqs#InternalFailure')],
    ['ServiceUnavailable', failing(503, 'com.amazonaws.sqs#ServiceUnavailable')],
    ['RequestThrottled', failing(400, 'com.amazonaws.sqs#RequestThrottled')],
    ['KmsThrottled', failing(400, 'com.amazonaws.sqs#KmsThrottled')],
    ['a cut connection', cut],
  ])('SQS: %s is 503', { timeout: 60_000 }, async (_, rule) => {
    sqs.rule = sends(rule);
    await Promise.all(call('POST', '/jobs', job).map(expectUnavailable));
    sqs.rule = undefined;
    expect(await statuses('POST', '/jobs', job)).toEqual([201, 201]);
  });

  it('what does not pass is 500', { timeout: 60_000 }, async () => {
    dynamodb.rule = failing(400, 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException');
    expect(await statuses('GET', '/jobs')).toEqual([500, 500]);
    dynamodb.rule = failing(400, 'com.amazon.coral.service#AccessDeniedException');
    expect(await statuses('GET', '/jobs')).toEqual([500, 500]);
  });
});

describe('a fault', () => {
  const named = (name: string, more: object = {}) =>
    Object.assign(new Error('what AWS says'), { name, ...more });
  const PASSING: [string, unknown][] = [
    ['no answer in time', named('TimeoutError')],
    ['no connection in time', named('TimeoutError', { message: 'Socket timed out without establishing' })],
    ['refused', named('Error', { code: 'ECONNREFUSED' })],
    ['refused by all addresses', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })],
    ['reset', named('Error', { code: 'ECONNRESET', message: 'socket hang up' })],
    ['no name server', named('Error', { code: 'EAI_AGAIN' })],
    ['no such host', named('Error', { code: 'ENOTFOUND' })],
    ['no way there', named('Error', { code: 'EHOSTUNREACH' })],
    [
      'an answer that breaks off',
      Object.assign(new SyntaxError('Unexpected end of JSON input'), { $response: {} }),
    ],
    ['a broken stream', named('Error', { code: 'ERR_STREAM_PREMATURE_CLOSE' })],
    ['any 5xx', named('NeverHeardOf', { $metadata: { httpStatusCode: 504 } })],
    ['too many requests', named('NeverHeardOf', { $metadata: { httpStatusCode: 429 } })],
    ['a fault of the server', named('NeverHeardOf', { $fault: 'server', $metadata: {} })],
    [
      'credentials that are being renewed',
      named('ExpiredTokenException', { $metadata: { httpStatusCode: 400 } }),
    ],
    [
      'a transaction beside ours',
      named('TransactionConflictException', { $metadata: { httpStatusCode: 400 } }),
    ],
  ];
  it.each(PASSING)('that passes is 503, wherever it happens: %s', async (_, fault) => {
    const { problem, headers } = problemOf(fault, 'r');
    expect([problem.status, headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.stringify(problem)).not.toContain('AWS');
    for (const part of ['store', 'queue'] as const) {
      const api = testApi();
      Object.defineProperty(api.ctx, part, {
        value: new Proxy({}, { get: () => () => Promise.reject(fault) }),
      });
      const answer = await api.call('POST', '/jobs', { body: { task: 'noop' } });
      expect([part, answer.status, answer.headers['retry-after']]).toEqual([part, 503, '1']);
    }
  });

  it.each<[string, unknown]>([
    ['a mistake of ours', new TypeError('x is undefined')],
    [
      'what AWS refuses',
      named('ValidationException', { $fault: 'client', $metadata: { httpStatusCode: 400 } }),
    ],
    [
      'no permission',
      named('AccessDeniedException', { $fault: 'client', $metadata: { httpStatusCode: 403 } }),
    ],
    [
      'no table',
      named('ResourceNotFoundException', { $fault: 'client', $metadata: { httpStatusCode: 400 } }),
    ],
    ['a text of ours that is no JSON', new SyntaxError('Unexpected end')],
    ['what is no error', 'oh'],
  ])('that does not pass is 500: %s', (_, fault) => {
    const { problem, headers } = problemOf(fault, 'r');
    expect([problem.status, headers['retry-after']]).toEqual([500, undefined]);
  });
});
