// Runs the bundled functions on the engines of local mode. Every request to a table or a queue is compared with the
// permissions of the function's role.

import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessesOf, ROLES, type RoleName } from '../../lib/access/permissions.ts';
import { bundle, type Entry, OUTPUT } from '../../lib/bundling/bundle.ts';
import { operations } from '../../src/api/contract/contract.ts';
import type { Service } from '../../src/api/contract/endpoint.ts';
import type { ApiHandler } from '../../src/api/http/http-event.ts';
import { fingerprint } from '../../src/domain/digest.ts';
import { minuteOf } from '../../src/domain/executions/slots.ts';
import type { Operation } from '../../src/domain/jobs/background-operation.ts';
import { publishEvents } from '../../src/notifications/publish-events.ts';
import { createNotifyQueue } from '../../src/queue/notify-queue.ts';
import {
  createIngestQueues,
  createNotifyQueues,
  createQueues,
} from '../../src/queue/sqs/queue-definitions.ts';
import { createSqs } from '../../src/queue/sqs/sqs.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import type { Store } from '../../src/store/store.ts';
import { builtinTasks } from '../../src/tasks/registry.ts';
import type { WatcherHandler } from '../../src/watcher/lambda.ts';
import { startWorker } from '../../src/worker/worker.ts';
import { type Call, caller, eventOf } from '../support/api-events.ts';
import { startDynoxide, startQueueServer } from '../support/engines.ts';
import { until } from '../support/until.ts';
import { startFakeCloudWatch } from './fake-cloudwatch.ts';
import { type Recorder, startRecorder } from './recorder.ts';

const PREFIX = 'bundled-';
const FUNCTIONS = [
  'scheduler',
  'query',
  'docs',
  'ingest',
  'watcher',
  'notifier',
  'canary',
] as const satisfies readonly Entry[];
/** The maximum sizes, slightly above the current ones. Swagger UI is 430 KB of the documentation. */
const LARGEST = {
  scheduler: 460_000,
  query: 510_000,
  docs: 700_000,
  ingest: 350_000,
  watcher: 340_000,
  notifier: 850_000,
  canary: 110_000,
};
const closers: (() => unknown)[] = [];
const folder = mkdtempSync(join(tmpdir(), 'punctual-bundles-'));
let recorders: Recorder[] = [];
let sqsQueueUrl = '';
let notifyQueueUrl = '';
let sqs: Awaited<ReturnType<typeof startQueueServer>>['client'];

type Loaded = { handler: (event: unknown, context: unknown) => Promise<unknown> };
/** Loads with Node itself, as Lambda does. `import` would go through the test runner. */
const load = async (entry: Entry): Promise<Loaded> =>
  createRequire(import.meta.url)('./load.cjs')(join(folder, entry, OUTPUT));

/** The permissions of the roles: tables by store operation, queues and logs as lib/ grants them. */
const QUEUES: Record<RoleName, readonly string[]> = {
  scheduler: ['sqs:SendMessage work-0', 'sqs:SendMessage ingest', 'sqs:SendMessage notify'],
  query: ['logs:FilterLogEvents workers', 'cloudwatch:GetMetricData'],
  ingest: ['sqs:SendMessage work-0', 'sqs:SendMessage ingest-dead-letters'],
  watcher: ['sqs:SendMessage work-0', 'sqs:SendMessage failed-passes', 'sqs:SendMessage notify'],
  worker: [],
  canary: [],
  console: [],
  docs: [],
  notifier: [
    'sqs:SendMessage notify',
    'sqs:SendMessage notify-dead-letters',
    'sqs:ChangeMessageVisibility notify',
  ],
};
const allowed = (role: RoleName): string[] => [
  ...(ROLES[role] as readonly (keyof Store)[])
    .flatMap(accessesOf)
    .flatMap(({ table, index, actions }) =>
      actions.map((action) => `dynamodb:${action} ${table}${index ? `/index/${index}` : ''}`),
    ),
  ...QUEUES[role],
];
/** A context without a recorder between it and the tables. */
let store: Store;
const asked = (): Set<string> => new Set(recorders.flatMap((recorder) => [...recorder.take()]));
const expectAllowed = (role: RoleName, what: Set<string>): void =>
  expect([...what].filter((action) => !allowed(role).includes(action))).toEqual([]);

beforeAll(async () => {
  const [tables, queues] = await Promise.all([startDynoxide(), startQueueServer()]);
  await createTables(tables.client, PREFIX);
  const urls = await createQueues(queues.client, PREFIX, 1);
  const { ingestUrl, ingestDeadLetterUrl } = await createIngestQueues(queues.client, PREFIX);
  const { notifyUrl, notifyDeadLetterUrl } = await createNotifyQueues(queues.client, PREFIX);
  sqs = queues.client;
  sqsQueueUrl = ingestUrl;
  notifyQueueUrl = notifyUrl;
  const [dynamo, sqsRecorder] = await Promise.all([
    startRecorder(tables.endpoint, PREFIX),
    startRecorder(queues.endpoint, PREFIX),
  ]);
  const cloudWatch = await startFakeCloudWatch();
  recorders = [dynamo, sqsRecorder, cloudWatch];
  const recorded = (url: string) => url.replace(queues.endpoint, sqsRecorder.endpoint);
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.endpoint,
    AWS_ENDPOINT_URL_SQS: sqsRecorder.endpoint,
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: cloudWatch.endpoint,
    AWS_ENDPOINT_URL_CLOUDWATCH: cloudWatch.endpoint,
    PUNCTUAL_WORKER_LOG_GROUP: 'workers',
    PUNCTUAL_PREFIX: PREFIX,
    PUNCTUAL_QUEUE_URLS: urls.queueUrls.map(recorded).join(','),
    PUNCTUAL_DEAD_LETTER_URL: recorded(urls.deadLetterUrl),
    PUNCTUAL_INGEST_URL: recorded(ingestUrl),
    PUNCTUAL_INGEST_DEAD_LETTER_URL: recorded(ingestDeadLetterUrl),
    PUNCTUAL_NOTIFY_URL: recorded(notifyUrl),
    PUNCTUAL_NOTIFY_DEAD_LETTER_URL: recorded(notifyDeadLetterUrl),
    PUNCTUAL_QUOTA_ACTIVE_JOBS: '100',
    PUNCTUAL_ALLOW_HTTP: '127.0.0.1',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
  });
  // a worker that is not recorded, so that there are executions to read, retry and redrive
  const { queue, receivers } = createSqs({ client: sqs, pollClient: sqs, clock: systemClock, ...urls });
  store = createDynamoStore({
    client: tables.client,
    tablePrefix: PREFIX,
    shards: DEFAULT_SETTINGS.shards,
  });
  const begun = minuteOf(Date.now()) - 5;
  for (let shard = 0; shard < DEFAULT_SETTINGS.shards; shard++)
    await store.insertShard({ shard, leaseUntil: 0, dispatchedUntil: begun, settledUntil: begun });
  const worker = startWorker(
    publishEvents(
      {
        store,
        queue,
        clock: systemClock,
        random: systemRandom,
        log: createLog('silent'),
        settings: DEFAULT_SETTINGS,
      },
      { queue: createNotifyQueue({ client: sqs, queueUrl: notifyUrl, timer: systemClock }) },
    ),
    { workerId: 'worker_test', host: 'here', tasks: builtinTasks(), receivers },
  );
  closers.push(
    () => worker.stop({ deadlineMs: 0 }),
    () => recorders.map((recorder) => recorder.stop()),
    () => tables.stop(),
    () => queues.stop(),
  );
  for (const entry of FUNCTIONS) await bundle(entry, join(folder, entry));
}, 120_000);

afterAll(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true, force: true });
});

const invocation = { awsRequestId: '1', getRemainingTimeInMillis: () => 30_000 };

describe('bundled', { timeout: 120_000 }, () => {
  it.each(Object.entries(LARGEST))(
    '%s has at most %i bytes zipped, code, source map and assets',
    (entry, most) => {
      const files = readdirSync(join(folder, entry), { recursive: true, withFileTypes: true });
      const zipped = files
        .filter((file) => file.isFile())
        .map((file) => gzipSync(readFileSync(join(file.parentPath, file.name))).length);
      expect(zipped.reduce((sum, size) => sum + size, 0)).toBeLessThan(most);
    },
  );

  it('scheduler and query answer every operation of the contract within the permissions of their roles', async () => {
    const api = async (service: Service) => {
      const { handler } = await load(service);
      return caller((event) => handler(event, invocation) as ReturnType<ApiHandler>);
    };
    const services = {
      scheduler: await api('scheduler'),
      query: await api('query'),
      docs: await api('docs'),
    };
    asked();
    const called = new Set<string>();
    const done = { scheduler: new Set<string>(), query: new Set<string>(), docs: new Set<string>() };
    const call = async (
      id: string,
      values: Record<string, string> = {},
      more: Call & { query?: string } = {},
    ) => {
      const operation = operations.find((one) => one.id === id);
      if (!operation) throw new Error(`the contract has no operation ${id}`);
      called.add(id);
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
      const answer = await services[operation.service](operation.method, `${path}${more.query ?? ''}`, more);
      for (const action of asked()) done[operation.service].add(action);
      expect(answer.status, `${id}: ${JSON.stringify(answer.body)}`).toBeLessThan(400);
      return answer;
    };
    const untilRow = (id: string, status: string) =>
      until(`an execution of ${id} is ${status}`, async () => {
        const { body } = await call('listJobExecutions', { id });
        return body.items.some((e: { status: string }) => e.status === status) && body.items;
      });

    const hourly = { task: 'noop', schedule: { cron: '0 * * * *' } };
    const { body: job } = await call(
      'createJob',
      {},
      { body: hourly, headers: { 'idempotency-key': 'once' } },
    );
    await call('createJob', {}, { body: { task: 'noop' }, headers: { prefer: 'respond-async' } });
    await call('createJobs', {}, { body: { jobs: [hourly, { ...hourly, overlap: 'allow' }] } });
    await call('editJob', { id: job.id }, { body: { name: 'edited', params: { result: 1 } } });
    await call('pauseJob', { id: job.id });
    await call('resumeJob', { id: job.id });
    await call('runJob', { id: job.id });
    const { body: filling } = await call(
      'backfillJob',
      { id: job.id },
      {
        body: { from: new Date(Date.now() - 7_200_000).toISOString(), to: new Date().toISOString() },
      },
    );

    expect((await call('getOperation', { id: filling.operation })).body).toMatchObject({ status: 'done' });
    await call('stopOperation', { id: filling.operation });
    await call('createJob', {}, { body: { ...hourly, name: 'in-bulk' } });
    for (const action of ['pause', 'resume', 'cancel'])
      await call('changeJobs', {}, { body: { action, filter: { name: 'in-bulk' } } });

    const name = { namespace: 'billing', name: 'nightly' };
    await call('putNamedJob', name, { body: hourly });
    await call('putNamedJob', name, { body: { ...hourly, timeoutSeconds: 60 } });
    const replaced = await call('putNamedJob', name, { body: { ...hourly, overlap: 'allow' } });
    await call('editJob', { id: replaced.body.id }, { body: { timeoutSeconds: 9 } });
    const dry = await call('putNamedJob', name, { body: hourly, query: '?dryRun=true' });
    expect(dry.body).toMatchObject({ action: 'replace', drift: [{ what: 'edited' }] });
    expect((await call('getNamedJob', name)).body.id).toBe(replaced.body.id);
    await call('cancelNamedJob', name);

    const failing = { task: 'noop', params: { fail: true } };
    const { body: failed } = await call('createJob', {}, { body: failing });
    const [row] = await untilRow(failed.id, 'failed');
    await call('retryExecution', { id: row.id });
    await untilRow(failed.id, 'failed');
    await call('redriveDeadLetters', {}, { body: { jobId: failed.id } });
    await untilRow(failed.id, 'failed');
    const { body: groups } = await call('groupDeadLetters');
    await call('redriveDeadLetters', {}, { body: { errorKey: groups.items[0].key } });
    await untilRow(failed.id, 'failed');
    await call('dismissDeadLetters', {}, { body: { ids: [row.id] } });

    const long = { task: 'noop', params: { durationMs: 60_000 }, schedule: { cron: '0 0 1 1 *' } };
    for (const overlap of ['skip', 'allow', 'queue']) {
      const { body: running } = await call('createJob', {}, { body: { ...long, overlap } });
      const { body: execution } = await call('runJob', { id: running.id });
      await call('runJob', { id: running.id });
      await call('getExecution', { id: execution.id });
      await call('cancelExecution', { id: execution.id });
      await call('cancelJob', { id: running.id });
    }

    await call('listJobs');
    await call('listJobs', {}, { query: '?name=edi' });
    await call('listJobs', {}, { query: '?view=summary&include=recent' });
    await call('getJob', { id: job.id });
    const { body: changes } = await call('listChanges', { id: job.id });
    expect(changes.items.map(({ what }: { what: string }) => what)).toEqual([
      'resumed',
      'paused',
      'edited',
      'created',
    ]);
    expect((await call('explainJob', { id: job.id })).body.verdict).toEqual(expect.any(String));
    await call('listExecutions');
    await call('listExecutions', {}, { query: '?status=failed' });
    await call('listExecutions', {}, { query: '?workerId=worker_test', groups: ['punctual-operators'] });
    await call('getExecution', { id: row.id });
    expect((await call('summarizeExecutions')).body.counts.failed).toBeGreaterThanOrEqual(0);
    const { body: stats } = await call('getStatistics', {}, { groups: ['punctual-operators'] });
    expect(stats.items.length).toBeGreaterThan(55);
    expect((await call('listLogLines', { id: row.id })).body.items).toEqual([]);
    await call('previewSchedule', {}, { body: { schedule: { cron: '0 9 * * *' } } });
    const { body: tasks } = await call('listTasks');
    // custom tasks are part of the bundle
    expect(JSON.stringify(tasks)).toContain('"count-slowly"');
    await call('listWorkers', {}, { groups: ['punctual-operators'] });
    await call('getForecast', {}, { groups: ['punctual-operators'] });
    await call('getSystem', {}, { groups: ['punctual-operators'] });
    await call('getLimits', { owner: 'alice' }, { groups: ['punctual-operators'] });
    await call('setLimits', { owner: 'alice' }, { body: {}, groups: ['punctual-operators'] });
    await call('createJob', {}, { body: hourly, user: 'gone' });
    await call('eraseOwner', { owner: 'gone' }, { user: 'gone' });
    await call('listDeadLetters');
    await call('listDeadLetters', {}, { groups: ['punctual-operators'] });
    await call('health');
    await call('openapi');
    const { body: page } = await call('docs', {}, { user: null });
    for (const [, file = ''] of String(page).matchAll(/(?:src|href)="docs\/([^"]+)"/g)) {
      const headers = { 'accept-encoding': 'br' };
      expect((await call('docsFile', { file }, { user: null, headers })).headers['content-encoding']).toBe(
        'br',
      );
    }

    // API Gateway's route for unknown paths leads to the function of the documentation, and so does a "/" at the end
    for (const [method, path, status] of [
      ['GET', '/nothing', 404],
      ['GET', '/jobs/', 404],
      ['PUT', '/jobs', 405],
    ] as const)
      expect(await services.docs(method, path)).toMatchObject({
        status,
        body: { status, title: expect.any(String) },
      });

    expect(operations.map(({ id }) => id).filter((id) => !called.has(id))).toEqual([]);
    expectAllowed('scheduler', done.scheduler);
    expectAllowed('query', done.query);
    expect([...done.docs]).toEqual([]);
    expect(done.scheduler).toContain('sqs:SendMessage ingest');
    expect(done.query).toContain('dynamodb:Scan executions/index/failed');
    expect(done.query).toContain('logs:FilterLogEvents workers');
    expect(done.query).toContain('cloudwatch:GetMetricData');
  });

  it('ingest creates accepted jobs, and returns the messages that failed', async () => {
    const { handler } = await load('ingest');
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: sqsQueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }),
    );
    expect(Messages).toHaveLength(1);
    asked();
    const records = [...Messages.map(({ Body }) => Body), 'nonsense'];
    const event = { Records: records.map((body, index) => ({ messageId: String(index), body })) };
    expect(await handler(event, invocation)).toEqual({ batchItemFailures: [] });
    const done = asked();
    expect(done).toContain('sqs:SendMessage ingest-dead-letters');
    expectAllowed('ingest', done);
  });

  it('the notifier delivers a failure, and dead-letters invalid messages', async () => {
    const told: unknown[] = [];
    const receiver = createServer(async (request, response) => {
      told.push(JSON.parse(await text(request)));
      response.end();
    }).listen(0, '127.0.0.1');
    closers.push(() => receiver.close());
    await once(receiver, 'listening');
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const scheduler = await load('scheduler');
    const body = { task: 'noop', params: { fail: true }, notify: [{ on: ['failed'], webhook: { url } }] };
    expect(await scheduler.handler(eventOf('POST', '/jobs', { body }), invocation)).toMatchObject({
      statusCode: 201,
    });

    const { handler } = await load('notifier');
    const tell = async (bodies: (string | undefined)[]) =>
      handler(
        {
          Records: bodies.map((body, index) => ({
            messageId: String(index),
            body,
            receiptHandle: 'none',
            attributes: { ApproximateReceiveCount: '1' },
          })),
        },
        invocation,
      );
    asked();
    expect(await tell(['nonsense'])).toEqual({ batchItemFailures: [] });
    const poll = { QueueUrl: notifyQueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 };
    while (told.length === 0) {
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(poll));
      await tell(Messages.map((message) => message.Body));
    }
    expect(told[0]).toMatchObject({ event: 'failed' });
    const done = asked();
    expect(done).toContain('sqs:SendMessage notify-dead-letters');
    expectAllowed('notifier', done);
  });

  it('the watcher dispatches and settles its range, publishes the forecast, and refuses an invalid event', async () => {
    const handler = (await load('watcher')).handler as WatcherHandler;
    asked();
    // an hour of slots of 16 shards: a pass stops 15 s before the end of its time, also on a busy machine
    const pass = await handler(
      { from: 0, to: 16 },
      { ...invocation, getRemainingTimeInMillis: () => 90_000 },
    );
    expect(pass).toMatchObject({ busy: 0, lagSeconds: 0, forecast: { perMinute: expect.any(Array) } });
    expect(pass.forecast.perMinute).toHaveLength(6);
    await expect(handler({ from: 3, to: 3 }, invocation)).rejects.toThrow('event');
    expectAllowed('watcher', asked());
  });

  it('the watcher carries out open background operations within the permissions of its role', async () => {
    const scheduler = await load('scheduler');
    const handler = (await load('watcher')).handler as WatcherHandler;
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    const schedule = { every: 'PT1H', startAt: new Date(hour - 6 * 3_600_000).toISOString() };
    for (const overlap of ['skip', 'allow']) {
      const body = { task: 'noop', schedule, overlap };
      const created = (await scheduler.handler(eventOf('POST', '/jobs', { body }), invocation)) as {
        body?: string;
      };
      const { id: jobId } = JSON.parse(String(created.body));
      const head = await store.readHead(jobId, { consistent: true });
      const operation: Operation = {
        ...{ id: `op_${systemRandom.id(20)}`, kind: 'backfill', userId: 'alice', status: 'pending' },
        params: {
          ...{ jobId, from: String(hour - 6 * 3_600_000), to: String(hour - 1) },
          schedule: fingerprint(head?.schedule),
        },
        ...{ done: 0, total: 6, refused: [], stamp: 's', leaseUntil: 0 },
        ...{ createdAt: Date.now(), updatedAt: Date.now() },
      };
      await store.putOperation(operation);
      asked();
      await handler({ from: 0, to: 16 }, { getRemainingTimeInMillis: () => 90_000 });
      const done = asked();
      expectAllowed('watcher', done);
      expect(done).toContain('sqs:SendMessage work-0');
      expect(await store.readOperation(operation.id)).toMatchObject({ status: 'done', done: 6, refused: [] });
      expect(await store.listOpenOperations(10)).toEqual([]);
    }
  });

  it('the watcher stops before its timeout', async () => {
    const handler = (await load('watcher')).handler as WatcherHandler;
    const pass = await handler({ from: 0, to: 16 }, { getRemainingTimeInMillis: () => 15_000 });
    expect(pass.sent).toBe(0);
  });
});
