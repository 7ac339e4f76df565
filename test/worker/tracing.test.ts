// A trace from the API to the worker, on the engines of local mode: what X-Ray is told of an execution whose job was
// created by a call that is withTracing, and of others.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { PutTraceSegmentsCommand, XRayClient } from '@aws-sdk/client-xray';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createIngestHandler, createService } from '../../src/api/lambda.ts';
import { decode } from '../../src/queue/sqs/message-body.ts';
import { createIngestQueues, createQueues } from '../../src/queue/sqs/queue-definitions.ts';
import { createReceiver } from '../../src/queue/sqs/receiver.ts';
import { createSqs } from '../../src/queue/sqs/sqs.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { headerOf, newTrace, sampledTrace, traceOfCall } from '../../src/runtime/tracing.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { handleMessage } from '../../src/scheduling/running/handle-message.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { builtinTasks } from '../../src/tasks/registry.ts';
import { withTracing } from '../../src/worker/with-tracing.ts';
import { startWorker } from '../../src/worker/worker.ts';
import { createTracer, type TracerOptions } from '../../src/worker/xray.ts';
import { eventOf } from '../support/api-events.ts';
import { startDynoxide, startQueueServer } from '../support/engines.ts';
import { NOON, StandingClock } from '../support/standing-clock.ts';
import { until } from '../support/until.ts';

const PREFIX = 'withTracing-';
const ROOT = '1-6751a3f0-0123456789abcdef01234567';
const PARENT = 'fedcba9876543210';
const HEADER = `Root=${ROOT};Parent=${PARENT};Sampled=1;Lineage=1:00000000:0`;
const INVOCATION = { awsRequestId: '1' } as Parameters<ReturnType<typeof createService>>[1];

interface Document {
  readonly id: string;
  readonly trace_id: string;
  readonly parent_id?: string;
  readonly start_time: number;
  readonly end_time: number;
  readonly fault: boolean;
  readonly annotations: Record<string, string | number>;
  readonly subsegments: readonly { name: string; start_time: number; end_time: number }[];
}

describe('from the API to the worker', { timeout: 30_000 }, () => {
  const documents: Document[] = [];
  const closers: (() => unknown)[] = [];
  const env: Record<string, string | undefined> = {};
  let scheduler: ReturnType<typeof createService>;
  let ingestInbox: ReturnType<typeof createReceiver>;

  beforeAll(async () => {
    const xray = createServer(async (request, response) => {
      const { TraceSegmentDocuments } = JSON.parse(await text(request));
      for (const document of TraceSegmentDocuments) documents.push(JSON.parse(document));
      response.setHeader('content-type', 'application/json').end('{"UnprocessedTraceSegments":[]}');
    }).listen(0, '127.0.0.1');
    await once(xray, 'listening');
    const [tables, queues] = await Promise.all([startDynoxide(), startQueueServer()]);
    await createTables(tables.client, PREFIX);
    const urls = await createQueues(queues.client, PREFIX, 1);
    const { ingestUrl, ingestDeadLetterUrl } = await createIngestQueues(queues.client, PREFIX);
    Object.assign(process.env, {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint,
      AWS_ENDPOINT_URL_SQS: queues.endpoint,
      POWERTOOLS_LOG_LEVEL: 'SILENT',
    });
    Object.assign(env, {
      PUNCTUAL_PREFIX: PREFIX,
      PUNCTUAL_QUEUE_URLS: urls.queueUrls.join(','),
      PUNCTUAL_DEAD_LETTER_URL: urls.deadLetterUrl,
      PUNCTUAL_INGEST_URL: ingestUrl,
      PUNCTUAL_INGEST_DEAD_LETTER_URL: ingestDeadLetterUrl,
    });
    scheduler = createService('scheduler', env);
    const options = { client: queues.client, pollClient: queues.client, timer: systemClock };
    ingestInbox = createReceiver({ ...options, queueUrl: ingestUrl, deadLetterUrl: ingestDeadLetterUrl });

    const client = new XRayClient({
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      endpoint: `http://127.0.0.1:${(xray.address() as AddressInfo).port}`,
    });
    const log = createLog('silent');
    const tracer = createTracer({
      name: 'withTracing-worker',
      sampling: 0,
      clock: systemClock,
      random: systemRandom,
      log,
      send: async (TraceSegmentDocuments) =>
        (await client.send(new PutTraceSegmentsCommand({ TraceSegmentDocuments }))).UnprocessedTraceSegments
          ?.length ?? 0,
    });
    const { queue, receivers } = createSqs({ client: queues.client, clock: systemClock, ...urls });
    const store = createDynamoStore({
      client: tables.client,
      tablePrefix: PREFIX,
      shards: DEFAULT_SETTINGS.shards,
    });
    const settings = DEFAULT_SETTINGS;
    const worker = startWorker(
      { store, queue, clock: systemClock, random: systemRandom, log, settings },
      {
        workerId: 'worker_traced',
        host: 'here',
        tasks: builtinTasks(),
        receivers,
        handleMessage: withTracing(handleMessage, tracer),
      },
    );
    closers.push(
      () => worker.stop({ deadlineMs: 0 }),
      () => tracer.stop(),
      () => xray.close(),
      () => client.destroy(),
      () => tables.stop(),
      () => queues.stop(),
    );
  }, 60_000);
  afterAll(async () => {
    for (const close of closers) await close();
  });
  beforeEach(() => {
    documents.length = 0;
  });

  const create = async (spec: object, trace: string | undefined, headers = {}) => {
    env._X_AMZN_TRACE_ID = trace;
    const body = { task: 'noop', ...spec };
    const { body: answer = '' } = await scheduler(eventOf('POST', '/jobs', { body, headers }), INVOCATION);
    env._X_AMZN_TRACE_ID = undefined;
    return JSON.parse(answer) as { id: string };
  };
  const untilSegments = (count: number) =>
    until(`X-Ray has ${count} segments`, () => documents.length >= count);

  it('the execution is a segment of the trace of the call that created its job', async () => {
    const { id } = await create({}, HEADER);
    await untilSegments(1);
    const [segment] = documents;
    expect(segment).toMatchObject({
      trace_id: ROOT,
      parent_id: PARENT,
      fault: false,
      annotations: { jobId: id, task: 'noop', outcome: 'SUCCEEDED', attempt: 1 },
    });
    expect(segment?.annotations.executionId).toMatch(new RegExp(`^${id}\\.`));
    expect(segment?.annotations.latenessMs).toBeGreaterThanOrEqual(0);
    const { subsegments = [], start_time: start = 0, end_time: end = 0 } = segment ?? {};
    expect(subsegments.map(({ name }) => name)).toEqual(['claim', 'run', 'finish']);
    const times = subsegments.flatMap((part) => [part.start_time, part.end_time]);
    expect([start, ...times, end]).toEqual([start, ...times, end].toSorted((a, b) => a - b));
  });

  it('a second attempt follows from the first', async () => {
    await create({ params: { failTimes: 2 }, retry: { maxAttempts: 2, backoffSeconds: 0 } }, HEADER);
    await untilSegments(2);
    const [first, second] = documents;
    expect(first).toMatchObject({ fault: true, annotations: { outcome: 'RETRYING', attempt: 1 } });
    expect(second).toMatchObject({
      trace_id: ROOT,
      parent_id: first?.id,
      fault: true,
      annotations: { outcome: 'FAILED', attempt: 2 },
    });
  });

  it('a job that was accepted to be created later belongs to the call that it was accepted in', async () => {
    const { id } = await create({}, HEADER, { prefer: 'respond-async' });
    const [accepted] = await ingestInbox.receive(10, AbortSignal.timeout(20_000));
    const handler = createIngestHandler(env);
    const record = { messageId: '1', body: accepted?.body };
    const event = { Records: [record] } as unknown as Parameters<typeof handler>[0];
    expect(await handler(event, INVOCATION)).toEqual({ batchItemFailures: [] });
    await untilSegments(1);
    expect(documents[0]).toMatchObject({ trace_id: ROOT, annotations: { jobId: id } });
  });

  it.each([
    ['that X-Ray does not record', HEADER.replace('Sampled=1', 'Sampled=0')],
    ['without a header', undefined],
    ['with a header that is none', 'Root=1-2-3;Sampled=1'],
  ])('a call %s leaves no trace', async (_, header) => {
    await create({}, header);
    const { id } = await create({}, HEADER);
    await untilSegments(1);
    expect(documents.map(({ annotations }) => annotations.jobId)).toEqual([id]);
  });
});

describe('the trace header', () => {
  it('is read, and written so that it is read the same', () => {
    expect(sampledTrace(HEADER)).toEqual({ root: ROOT, parent: PARENT });
    expect(sampledTrace(`Sampled=1; Root=${ROOT}`)).toEqual({ root: ROOT });
    expect(traceOfCall({ _X_AMZN_TRACE_ID: HEADER })).toBe(`Root=${ROOT};Parent=${PARENT};Sampled=1`);
    const begun = newTrace(NOON);
    expect(sampledTrace(headerOf(begun))).toEqual(begun);
    expect(Number.parseInt(begun.root.slice(2, 10), 16)).toBe(NOON / 1000);
  });

  it('in a message is worth no execution: one that is wrong is left out, and one that is missing is no mistake', () => {
    const message = { jobId: 'j', due: '1764590400000', revision: 'r', fireAt: 1, enqueuedAt: 1 };
    for (const trace of [undefined, 7, 'x'.repeat(401)])
      expect(decode(JSON.stringify({ ...message, trace }))).toEqual({ ...message, trace: undefined });
    expect(decode(JSON.stringify({ ...message, trace: HEADER }))).toEqual({ ...message, trace: HEADER });
  });
});

describe('the tracer', () => {
  const segment = {
    id: 'a'.repeat(16),
    trace: { root: ROOT },
    from: NOON,
    to: NOON + 5,
    annotations: {},
    parts: [],
    failed: false,
  };
  const make = (more: Partial<TracerOptions> = {}) => {
    const clock = new StandingClock();
    const sent: number[] = [];
    const warned: string[] = [];
    const log = { ...createLog('silent'), warn: (message: string) => void warned.push(message) };
    const tracer = createTracer({
      name: 'w',
      sampling: 1,
      clock,
      random: { id: () => '', float: () => 0.5 },
      log,
      send: async (batch) => {
        sent.push(batch.length);
        return 0;
      },
      ...more,
    });
    return { tracer, clock, sent, warned };
  };

  it('begins as many as the sampling says, and no more than ten in a second', async () => {
    const begun = (of: ReturnType<typeof make>) =>
      Array.from({ length: 30 }, () => of.tracer.begins()).filter(Boolean).length;
    expect(begun(make({ sampling: 0.4 }))).toBe(0);
    const all = make({ sampling: 0.6 });
    expect(begun(all)).toBe(10);
    await all.clock.advance(1000);
    expect(begun(all)).toBe(10);
  });

  it('sends fifty at a time, once a second, and keeps five hundred at most', async () => {
    const { tracer, clock, sent } = make();
    for (let i = 0; i < 600; i++) tracer.put(segment);
    expect(sent).toEqual([]);
    await clock.advance(1000);
    expect(sent).toEqual(Array(10).fill(50));
    tracer.put(segment);
    await tracer.stop();
    expect(sent.at(-1)).toBe(1);
  });

  it('does not keep a worker that leaves: after the first that cannot be sent the rest are left', async () => {
    let calls = 0;
    const { tracer } = make({
      send: async () => {
        calls++;
        throw new Error('no way out');
      },
    });
    for (let i = 0; i < 500; i++) tracer.put(segment);
    await tracer.stop();
    expect(calls).toBe(1);
  });

  it('says that traces are lost or refused, and goes on', async () => {
    let calls = 0;
    const { tracer, clock, warned } = make({
      send: async () => {
        if (++calls === 1) throw new Error('no way out');
        return 1;
      },
    });
    for (let i = 0; i < 51; i++) tracer.put(segment);
    await clock.advance(1000);
    expect(warned).toEqual(['failed to send traces', 'X-Ray refused traces']);
  });
});
