// Worker processes whose clock is wrong, as the container runs them, against the engines of local mode.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { jobSpecSchema } from '../../../src/domain/jobs/job-spec.ts';
import { cancelJob } from '../../../src/jobs/cancel-job.ts';
import { createJob } from '../../../src/jobs/create-job.ts';
import { signToken, tokenKey } from '../../../src/local/tokens.ts';
import { createQueues } from '../../../src/queue/sqs/queue-definitions.ts';
import { createSqs } from '../../../src/queue/sqs/sqs.ts';
import { systemClock } from '../../../src/runtime/clock/system-clock.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { systemRandom } from '../../../src/runtime/random.ts';
import { type Context, DEFAULT_SETTINGS } from '../../../src/scheduling/context.ts';
import { createDynamoStore } from '../../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../../src/store/dynamodb/tables.ts';
import { startDynoxide, startQueueServer } from '../../support/engines.ts';
import { until } from '../../support/until.ts';

const HOUR = 3_600_000;
/** The time of a start by the reference clock. */
const MAX_EARLY_MS = 250;
const PRELOAD = new URL('./shifted.mjs', import.meta.url).href;
const WORKER = fileURLToPath(new URL('../../../src/worker/main.ts', import.meta.url));
const START = fileURLToPath(new URL('../../../src/local/main.ts', import.meta.url));

interface Call {
  readonly at: number;
  readonly due: number;
}

const folder = mkdtempSync(join(tmpdir(), 'punctual-clock-'));
const closers: (() => unknown)[] = [];
const started: ChildProcess[] = [];
const calls: Call[] = [];
let context: Context;
let env: Record<string, string>;
let hook = '';

beforeAll(async () => {
  const [tables, queues] = await Promise.all([startDynoxide(), startQueueServer()]);
  const server = createServer((request, response) => {
    calls.push({ at: Date.now(), due: Date.parse(String(request.headers['punctual-due'])) });
    request.resume();
    response.end('done');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  closers.push(
    () => tables.stop(),
    () => queues.stop(),
    () => server.closeAllConnections(),
    () => server.close(),
    () => rmSync(folder, { recursive: true, force: true }),
  );
  await createTables(tables.client, 'clock-');
  const urls = await createQueues(queues.client, 'clock-', 1);
  context = {
    store: createDynamoStore({
      client: tables.client,
      tablePrefix: 'clock-',
      shards: DEFAULT_SETTINGS.shards,
    }),
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
    PUNCTUAL_PREFIX: 'clock-',
    PUNCTUAL_ALLOW_HTTP: '127.0.0.1',
    PUNCTUAL_METRICS: 'on',
    NODE_OPTIONS: `--import ${PRELOAD}`,
  };
});
afterAll(async () => {
  for (const close of closers) await close();
});
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  calls.length = 0;
});

function startProcess(main: string, variables: Record<string, string>) {
  const child = spawn(process.execPath, [main], {
    env: { ...env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  started.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data) => (text += data));
  const says = (words: string) =>
    until(`${main} says "${words}"`, () => {
      if (child.exitCode !== null) throw new Error(`ended before it said "${words}": ${text}`);
      return text.includes(words);
    });
  return { child, says, output: () => text, shift: (ms: number) => child.send(ms) };
}

const startWorker = (shift = 0, more: Record<string, string> = {}) =>
  startProcess(WORKER, { CLOCK_SHIFT_MS: String(shift), ...more });

async function everySecond(): Promise<string> {
  const spec = jobSpecSchema.parse({
    task: 'http',
    params: { url: hook },
    schedule: { every: 'PT1S' },
    misfire: { policy: 'runOnce', graceSeconds: 2 },
  });
  const { job } = await createJob(context, { userId: 'ann', spec });
  return job.id;
}

const called = (times: number) => {
  const before = calls.length;
  return until(`${times} more calls`, () => calls.length >= before + times);
};
const end = (jobId: string) => cancelJob(context, { userId: 'ann', operator: false }, jobId);
const nothingWasEarly = () => {
  for (const { at, due } of calls) expect(due - at).toBeLessThan(MAX_EARLY_MS);
};
/** Of the last runs; what was skipped has none. */
const workersOf = async (jobId: string): Promise<Set<string>> => {
  const { items } = await context.store.listRows(jobId, { limit: 3, consistent: true, newestFirst: true });
  return new Set(items.flatMap(({ workerId }) => workerId ?? []));
};

describe('a worker whose clock is wrong', { timeout: 90_000 }, () => {
  it('takes no work while it is an hour ahead, logs it, and resumes; another worker goes on', async () => {
    const alive = join(folder, 'alive');
    const first = startWorker(0, { PUNCTUAL_ALIVE_FILE: alive });
    await first.says(' ready"');
    const jobId = await everySecond();
    await called(3);
    expect(existsSync(alive)).toBe(true);

    first.shift(HOUR);
    await first.says('clock is wrong');
    await wait(1500);
    rmSync(alive);
    calls.length = 0;
    await wait(5000);
    expect(calls).toEqual([]);
    // the health check of its container fails: the file is touched every 10 s
    await wait(6000);
    expect(existsSync(alive)).toBe(false);
    const seen = await context.store.readHead(jobId, { consistent: true });
    expect(Number(seen?.coveredUntil ?? 0)).toBeLessThan(Date.now());

    const second = startWorker();
    await called(4);
    const others = await workersOf(jobId);
    expect(others.size).toBe(1);

    first.shift(0);
    await first.says('clock is right again');
    second.child.kill('SIGTERM');
    await called(4);
    await until('other workers run it', async () =>
      [...(await workersOf(jobId))].every((id) => !others.has(id)),
    );
    nothingWasEarly();
    const head = await context.store.readHead(jobId, { consistent: true });
    expect(Number(head?.coveredUntil ?? 0)).toBeLessThan(Date.now());
    await end(jobId);
    first.child.kill('SIGTERM');
    await once(first.child, 'exit');
    const offsets = [...first.output().matchAll(/"ClockOffset":(\d+)/g)].map(([, ms]) => Number(ms));
    expect(Math.abs(Math.max(...offsets) - HOUR)).toBeLessThan(5000);
  });

  for (const [name, shift] of [
    ['ahead', HOUR],
    ['behind', -HOUR],
  ] as const) {
    it(`takes no work when it starts with a clock an hour ${name}, until its clock is set`, async () => {
      const worker = startWorker(shift);
      await worker.says('clock is wrong');
      const jobId = await everySecond();
      await wait(3000);
      expect(calls).toEqual([]);
      worker.shift(0);
      await called(3);
      nothingWasEarly();
      await end(jobId);
    });
  }

  it('writes leases by the reference clock while a task runs on', async () => {
    const worker = startWorker(0, { PUNCTUAL_LEASE_MS: '7000', PUNCTUAL_HEARTBEAT_MS: '300' });
    await worker.says(' ready"');
    let release: () => void = () => {};
    const slow = createServer((_, response) => {
      release = () => response.end('done');
    }).listen(0, '127.0.0.1');
    await once(slow, 'listening');
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
    const spec = jobSpecSchema.parse({ task: 'http', params: { url, timeoutSeconds: 30 } });
    const { job } = await createJob(context, { userId: 'ann', spec });
    const leaseUntil = async () => {
      const page = { limit: 1, consistent: true, newestFirst: true };
      return (await context.store.listRows(job.id, page)).items[0]?.leaseUntil ?? 0;
    };
    await until('the shard is watched', async () => (await leaseUntil()) > 0);

    for (const shift of [HOUR, -HOUR]) {
      worker.shift(shift);
      await wait(1000);
      expect(Math.abs((await leaseUntil()) - Date.now() - 7000)).toBeLessThan(2500);
    }
    release();
    await until('the job has succeeded', async () => {
      const { items } = await context.store.listRows(job.id, {
        limit: 1,
        consistent: true,
        newestFirst: true,
      });
      return items[0]?.status === 'SUCCEEDED';
    });
    slow.closeAllConnections();
    slow.close();
  });
});

describe('local mode, when the clock of its machine jumps', { timeout: 60_000 }, () => {
  it('takes no work, logs it, creates jobs in true time, and resumes when the clock is right', async () => {
    const data = join(folder, 'local');
    const own = { AWS_ENDPOINT_URL_DYNAMODB: '', AWS_ENDPOINT_URL_SQS: '', PUNCTUAL_METRICS: '' };
    const local = startProcess(START, { ...own, PUNCTUAL_DATA: data, PUNCTUAL_PORT: '0' });
    await local.says('listens on');
    const [, url = ''] = /listens on (http:\S+)/.exec(local.output()) ?? [];
    const call = async (method: string, path: string, body?: unknown) => {
      const authorization = `Bearer ${await signToken(await tokenKey(data), 'me', [])}`;
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await fetch(`${url}${path}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      return { status: response.status, body: JSON.parse((await response.text()) || 'null') };
    };
    const misfire = { policy: 'runOnce', graceSeconds: 2 };
    const job = { task: 'http', params: { url: hook }, schedule: { every: 'PT1S' }, misfire };
    const { body: created } = await call('POST', '/jobs', job);
    await called(3);
    expect(await call('GET', '/health')).toMatchObject({ status: 200 });

    local.shift(HOUR);
    await local.says('clock is wrong');
    await wait(1500);
    calls.length = 0;
    expect(await call('GET', '/health')).toMatchObject({ status: 503 });
    const { body: soon } = await call('POST', '/jobs', { task: 'noop', schedule: { in: 'PT5S' } });
    expect(Math.abs(Date.parse(soon.schedule.at) - Date.now() - 5000)).toBeLessThan(2000);
    await wait(3000);
    expect(calls).toEqual([]);

    local.shift(0);
    await local.says('clock is right again');
    await called(4);
    nothingWasEarly();
    expect(await call('GET', '/health')).toMatchObject({ status: 200 });
    expect((await call('DELETE', `/jobs/${created.id}`)).status).toBeLessThan(300);
    local.child.kill('SIGTERM');
    await once(local.child, 'exit');
  });
});
