// The worker as the container runs it, against the engines of local mode.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { jobSpecSchema } from '../../src/domain/jobs/job-spec.ts';
import { createJob } from '../../src/jobs/create-job.ts';
import { createQueues } from '../../src/queue/sqs/queue-definitions.ts';
import { createSqs } from '../../src/queue/sqs/sqs.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { systemRandom } from '../../src/runtime/random.ts';
import { type Context, DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { startDynoxide, startQueueServer } from '../support/engines.ts';
import { until } from '../support/until.ts';

const PREFIX = 'worker-test-';
const closers: (() => unknown)[] = [];
let context: Context;
let env: Record<string, string>;
let hook = '';
/** When each call came, and how it is answered. */
const calls: number[] = [];
let answered: Promise<unknown> = Promise.resolve();
let onCall: (open: number) => void = () => {};
let open = 0;

beforeAll(async () => {
  const [tables, queues] = await Promise.all([startDynoxide(), startQueueServer()]);
  const server = createServer(async (_, response) => {
    calls.push(Date.now());
    onCall(++open);
    await answered;
    open--;
    response.end('done');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  closers.push(
    () => tables.stop(),
    () => queues.stop(),
    () => server.close(),
    () => server.closeAllConnections(),
  );

  await createTables(tables.client, PREFIX);
  const urls = await createQueues(queues.client, PREFIX, 1);
  context = {
    store: createDynamoStore({ client: tables.client, tablePrefix: PREFIX, shards: DEFAULT_SETTINGS.shards }),
    queue: createSqs({ client: queues.client, clock: systemClock, ...urls }).queue,
    clock: systemClock,
    random: systemRandom,
    log: createLog('silent'),
    settings: DEFAULT_SETTINGS,
  };
  env = {
    PATH: process.env.PATH ?? '',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? '',
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: tables.endpoint,
    AWS_ENDPOINT_URL_SQS: queues.endpoint,
    PUNCTUAL_PREFIX: PREFIX,
    PUNCTUAL_ALLOW_HTTP: '127.0.0.1',
  };
});
afterAll(async () => {
  for (const close of closers) await close();
});

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function startProcess(more: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['src/worker/main.ts'], { env: { ...env, ...more } });
  started.push(child);
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output.text += data));
  const exit = once(child, 'exit').then(([code]) => code as number);
  const says = (words: string) =>
    until(`the worker says "${words}"`, () => {
      if (child.exitCode !== null) throw new Error(`ended before it said "${words}": ${output.text}`);
      return output.text.includes(words);
    });
  return { child, exit, says, output };
}

async function createHook(schedule: Record<string, unknown> | undefined) {
  const spec = jobSpecSchema.parse({ task: 'http', params: { url: hook, body: { a: 1 } }, schedule });
  const { job } = await createJob(context, { userId: 'ann', spec });
  return job.id;
}

const rowsOf = async (jobId: string) =>
  (await context.store.listRows(jobId, { limit: 10, consistent: true, newestFirst: true })).items;

describe('a worker process', { timeout: 60_000 }, () => {
  it('stops with a sentence when a variable is wrong or a queue is missing', async () => {
    const wrong = startProcess({ PUNCTUAL_CONCURRENCY: '0' });
    const lost = startProcess({ PUNCTUAL_PREFIX: 'nowhere-' });
    await expect(Promise.all([wrong.exit, lost.exit])).resolves.toEqual([1, 1]);
    expect(wrong.output.text).toBe('punctual worker: PUNCTUAL_CONCURRENCY must be at least 1, got 0\n');
    expect(lost.output.text).toMatch(
      /^punctual worker: there is no queue nowhere-\S+: PUNCTUAL_PREFIX and .*\n$/,
    );
  });

  it('runs what is due, not early, and lets it end when told to stop', async () => {
    const { child, exit, says, output } = startProcess();
    await says(' ready"');
    const release = Promise.withResolvers<void>();
    answered = release.promise;

    const dueAt = Date.now() + 1500;
    const jobId = await createHook({ at: new Date(dueAt).toISOString() });
    await until('the webhook is called', () => calls.length === 1);
    expect(calls[0]).toBeGreaterThanOrEqual(dueAt);
    child.kill('SIGTERM');
    await says('draining');
    expect(await context.store.listWorkers(0)).toHaveLength(1);
    await expect(rowsOf(jobId)).resolves.toMatchObject([{ status: 'RUNNING' }]);

    release.resolve();
    await expect(exit).resolves.toBe(0);
    await expect(rowsOf(jobId)).resolves.toMatchObject([
      { status: 'SUCCEEDED', attempt: 1, result: { status: 200, body: 'done' } },
    ]);
    expect(await context.store.listWorkers(0)).toEqual([]);
    expect(output.text).toContain('"message":"worker stopped"');
  });

  it('runs no more at once than its concurrency, early messages and due ones alike', async () => {
    const { child, exit, says } = startProcess({ PUNCTUAL_CONCURRENCY: '2' });
    await says(' ready"');
    calls.length = 0;
    let most = 0;
    onCall = (open) => {
      most = Math.max(most, open);
      answered = wait(150);
    };
    const at = new Date(Date.now() + 1200).toISOString();
    const jobs = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => createHook(n < 5 ? { at } : undefined)));
    await until('all jobs have succeeded', async () =>
      (await Promise.all(jobs.map(rowsOf))).every(([row]) => row?.status === 'SUCCEEDED'),
    );
    expect([calls.length, most]).toEqual([6, 2]);
    child.kill('SIGTERM');
    await expect(exit).resolves.toBe(0);
    onCall = () => {};
  });

  it('stops what still runs at the deadline, and another worker runs it again without waiting for a lease', async () => {
    const first = startProcess({ PUNCTUAL_DRAIN_SECONDS: '0.1' });
    await first.says(' ready"');
    answered = new Promise(() => {});
    calls.length = 0;
    const jobId = await createHook(undefined);
    await until('the webhook is called', () => calls.length === 1);
    first.child.kill('SIGTERM');
    await expect(first.exit).resolves.toBe(0);
    expect(first.output.text).toContain('"toldToStop":1,"leftBehind":0');

    answered = Promise.resolve();
    const stopped = Date.now();
    const second = startProcess();
    await until('it succeeds', async () => (await rowsOf(jobId))[0]?.status === 'SUCCEEDED');
    expect(Date.now() - stopped).toBeLessThan(DEFAULT_SETTINGS.leaseMs / 2);
    expect(calls).toHaveLength(2);
    second.child.kill('SIGTERM');
    await expect(second.exit).resolves.toBe(0);
  });

  it('leaves at once at the second signal', async () => {
    const { child, exit, says } = startProcess();
    await says(' ready"');
    answered = new Promise(() => {});
    calls.length = 0;
    await createHook(undefined);
    await until('the webhook is called', () => calls.length === 1);
    child.kill('SIGINT');
    await says('draining');
    child.kill('SIGINT');
    await expect(exit).resolves.toBe(130);
  });
});
