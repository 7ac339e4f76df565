// The worker as in the container. It is built by following the Dockerfile in the folder that CDK sends to the builder, started from
// the result alone, and drained by SIGTERM.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessesOf, ROLES } from '../../lib/access/permissions.ts';
import { workerImageFolder } from '../../lib/bundling/deployed-files.ts';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { createNotifyQueues, createQueues } from '../../src/queue/sqs/queue-definitions.ts';
import { createSqs } from '../../src/queue/sqs/sqs.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { startDynoxide, startQueueServer } from '../support/engines.ts';
import { until } from '../support/until.ts';
import { followDockerfile, type Image } from './dockerfile.ts';
import { type Recorder, startRecorder } from './recorder.ts';
import { cleanUp, type Properties, type Synthesized, synthesize } from './synth.ts';

const PREFIX = 'contained-';
const folder = mkdtempSync(join(tmpdir(), 'punctual-image-'));
const closers: (() => unknown)[] = [];
let image: Image;
let synthesized: Synthesized;
let context: Context;
let recorders: Recorder[];
let env: Record<string, string>;
let worker: ChildProcess | undefined;

beforeAll(async () => {
  synthesized = synthesize('default');
  const sent = workerImageFolder();
  closers.push(() => rmSync(sent, { recursive: true, force: true }));
  image = followDockerfile(sent, folder);

  const [tables, queues] = await Promise.all([startDynoxide(), startQueueServer()]);
  await createTables(tables.client, PREFIX);
  const urls = await createQueues(queues.client, PREFIX, 1);
  const { notifyUrl } = await createNotifyQueues(queues.client, PREFIX);
  recorders = await Promise.all([
    startRecorder(tables.endpoint, PREFIX),
    startRecorder(queues.endpoint, PREFIX),
  ]);
  const [dynamodb = '', sqs = ''] = recorders.map(({ endpoint }) => endpoint);
  context = {
    store: createDynamoStore({ client: tables.client, tablePrefix: PREFIX, shards: DEFAULT_SETTINGS.shards }),
    queue: createSqs({ client: queues.client, clock: systemClock, ...urls }).queue,
    clock: systemClock,
    random: systemRandom,
    log: createLog('silent'),
    settings: DEFAULT_SETTINGS,
  };
  closers.push(
    () => recorders.map((recorder) => recorder.stop()),
    () => tables.stop(),
    () => queues.stop(),
  );
  // the variables of the task definition, with the addresses of the engines instead of CDK tokens
  const [container] =
    synthesized.ofType('AWS::ECS::TaskDefinition')[0]?.Properties.ContainerDefinitions ?? [];
  const given: Record<string, string> = Object.fromEntries(
    container.Environment.map(({ Name, Value }: Properties) => [Name, Value]),
  );
  env = {
    ...image.environment,
    ...given,
    PUNCTUAL_PREFIX: PREFIX,
    PUNCTUAL_QUEUE_URLS: urls.queueUrls.map((url) => url.replace(queues.endpoint, sqs)).join(','),
    PUNCTUAL_DEAD_LETTER_URL: urls.deadLetterUrl.replace(queues.endpoint, sqs),
    PUNCTUAL_NOTIFY_URL: notifyUrl.replace(queues.endpoint, sqs),
    PUNCTUAL_ALLOW_HTTP: '127.0.0.1',
    PUNCTUAL_TRACING: 'on',
    PUNCTUAL_TRACE_SAMPLING: '1',
    AWS_ENDPOINT_URL_XRAY: await startXRay(),
    PUNCTUAL_ALIVE_FILE: join(folder, 'punctual-alive'),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
    AWS_ENDPOINT_URL_SQS: sqs,
  };
}, 120_000);

/** The segments that X-Ray received. */
const segments: { name: string; annotations: Record<string, unknown> }[] = [];
async function startXRay(): Promise<string> {
  const xray = createServer(async (request, response) => {
    const { TraceSegmentDocuments } = JSON.parse(await text(request)) as { TraceSegmentDocuments: string[] };
    segments.push(...TraceSegmentDocuments.map((document) => JSON.parse(document)));
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(xray, 'listening');
  closers.push(() => xray.close());
  return `http://127.0.0.1:${(xray.address() as AddressInfo).port}`;
}

afterAll(async () => {
  worker?.kill('SIGKILL');
  for (const close of closers) await close();
  chmodSync(join(image.root, image.workdir), 0o755);
  rmSync(folder, { recursive: true, force: true });
  cleanUp();
});

describe('the container', { timeout: 60_000 }, () => {
  it('has Node 24, an unprivileged user, an init process from ECS and one writable folder', () => {
    const [task] = synthesized.ofType('AWS::ECS::TaskDefinition');
    expect(task?.Properties.ContainerDefinitions[0].LinuxParameters).toEqual({
      Capabilities: {},
      InitProcessEnabled: true,
    });
    expect(image).toMatchObject({
      base: expect.stringMatching(/^node@sha256:[0-9a-f]{64}$/),
      user: 'node',
      entrypoint: [],
      command: ['node', '--max-semi-space-size=32', 'index.mjs'],
      volumes: ['/tmp'],
      workdir: '/app',
    });
    const own = readdirSync(join(image.root, image.workdir));
    expect(own).toContain('index.mjs');
    expect(own).not.toContain('node_modules');
  });

  it('starts, runs a job on time and drains on SIGTERM, within the permissions of its role', async () => {
    const app = join(image.root, image.workdir);
    chmodSync(app, 0o555);
    const [, ...args] = image.command;
    worker = spawn(process.execPath, args, { cwd: app, env });
    let output = '';
    for (const stream of [worker.stdout, worker.stderr]) stream?.on('data', (data) => (output += data));
    const ended = once(worker, 'exit');
    const untilWorker = (condition: string, check: () => boolean | Promise<boolean>) =>
      until(condition, () => {
        if (worker?.exitCode !== null) throw new Error(`the worker ended: ${output}`);
        return check();
      });
    await untilWorker('the worker is ready', () => output.includes(' ready"'));
    const healthy = image.environment.PUNCTUAL_ALIVE_FILE ?? '';
    expect(healthy).toBe('/tmp/punctual-alive');
    execFileSync('sh', ['-c', `test -n "$(find ${env.PUNCTUAL_ALIVE_FILE} -mmin -1)"`]);

    const server = createServer((_, response) => response.end('done')).listen(0, '127.0.0.1');
    closers.push(() => server.close());
    await once(server, 'listening');
    const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const due = Date.now() + 1_500;
    const schedule = { at: new Date(due).toISOString() };
    const { job: quick } = await createJob(context, {
      userId: 'ann',
      spec: jobSpecSchema.parse({ task: 'http', params: { url: hook }, schedule }),
    });
    const { job: slow } = await createJob(context, {
      userId: 'ann',
      spec: jobSpecSchema.parse({ task: 'noop', params: { durationMs: 3_000 }, schedule }),
    });
    const rowsOf = async (jobId: string) =>
      (await context.store.listRows(jobId, { limit: 10, consistent: true, newestFirst: true })).items;
    await untilWorker('the job has run', async () =>
      (await rowsOf(quick.id)).some(({ status }) => status === 'SUCCEEDED'),
    );
    expect(await rowsOf(quick.id)).toMatchObject([
      { status: 'SUCCEEDED', result: { status: 200, body: 'done' } },
    ]);
    expect(await rowsOf(slow.id)).toMatchObject([{ status: 'RUNNING' }]);

    worker.kill('SIGTERM');
    const [code] = await ended;
    expect(code, output).toBe(0);
    expect(await rowsOf(slow.id)).toMatchObject([{ status: 'SUCCEEDED' }]);
    expect(await context.store.listWorkers(0)).toEqual([]);

    const written = output
      .split('\n')
      .flatMap((line) => (line.startsWith('{"_aws"') ? [JSON.parse(line)] : []));
    const lines = written.filter(({ runtime }) => runtime === undefined);
    const [{ CloudWatchMetrics: [metrics] }] = lines.map(({ _aws }) => _aws); // biome-ignore format: one thing
    expect(metrics).toMatchObject({ Namespace: 'Punctual', Dimensions: [['service']] });
    const measured = lines.flatMap((line) => line.Lateness ?? []);
    expect(measured).toHaveLength(2);
    expect(lines.flatMap((line) => line.Succeeded ?? [])).toHaveLength(2);
    expect(lines[0]).toMatchObject({ service: 'contained', Workers: 1 });

    // also executions that ended during the drain
    const traced = segments.map(({ name, annotations: { task, outcome } }) => ({ name, task, outcome }));
    const succeeded = { name: 'contained-worker', outcome: 'SUCCEEDED' };
    expect(traced).toEqual([
      { ...succeeded, task: 'http' },
      { ...succeeded, task: 'noop' },
    ]);
    const units = written.filter(({ runtime }) => runtime === 'worker');
    expect(units.reduce((sum, { WriteUnits = 0 }) => sum + WriteUnits, 0)).toBeGreaterThan(0);

    const allowed = ROLES.worker
      .flatMap(accessesOf)
      .flatMap(({ table, index, actions }) =>
        actions.map((action) => `dynamodb:${action} ${table}${index ? `/index/${index}` : ''}`),
      );
    const queues = ['SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'].map(
      (action) => `sqs:${action} work-0`,
    );
    const asked = recorders.flatMap((recorder) => [...recorder.take()]);
    expect(
      asked.filter((action) => ![...allowed, ...queues, 'sqs:SendMessage notify'].includes(action)),
    ).toEqual([]);
  });
});
