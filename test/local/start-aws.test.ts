// `npm run start:aws` and its parts: the same service on dynoxide and fauxqs, in one process or in several.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  client,
  type Folder,
  startLocal,
  startPart,
  startTarget,
  temporaryFolder,
} from '../support/processes.ts';

let target: Awaited<ReturnType<typeof startTarget>>;
let folder: Folder;
const started: { stop(signal?: NodeJS.Signals): Promise<unknown> }[] = [];
const keep = <T extends { stop(signal?: NodeJS.Signals): Promise<unknown> }>(process: T): T => {
  started.push(process);
  return process;
};

beforeAll(async () => {
  target = await startTarget();
});
afterAll(() => target.stop());
afterEach(async () => {
  for (const process of started.splice(0).reverse()) await process.stop('SIGKILL');
  folder?.remove();
});

const callTarget = (path: string, schedule?: object) => ({
  name: path,
  task: 'http',
  params: { url: `${target.url}${path}` },
  schedule,
});

describe('npm run start:aws', () => {
  it('runs jobs, keeps them after kill -9, and warns that its engines have no access control', async () => {
    folder = temporaryFolder();
    const first = keep(await startLocal(folder.path, {}, undefined, 'aws.main'));
    await first.printed(/every process on this machine can read the jobs/);
    await first.as('alice')('POST', '/jobs', callTarget('/on-engines'));
    await target.called('/on-engines', 1, 60_000);
    await first.as('alice')('POST', '/jobs', callTarget('/kept', { in: 'PT4S' }));
    await first.stop('SIGKILL');
    keep(await startLocal(folder.path, {}, undefined, 'aws.main'));
    await target.called('/kept', 1, 60_000);
  });

  it('owns the data folder: npm start is refused meanwhile', async () => {
    folder = temporaryFolder();
    const first = keep(await startLocal(folder.path, {}, undefined, 'aws.main'));
    const second = startPart('main', { PUNCTUAL_DATA: folder.path });
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain(`in use by process ${first.child.pid} (npm run start:aws)`);
  });
});

describe('npm run engines | api | watcher | worker', () => {
  it('run in processes of their own, with two workers', async () => {
    folder = temporaryFolder();
    const env = { PUNCTUAL_DATA: folder.path };
    const early = startPart('worker.main', env);
    expect(await early.exited).toBe(1);
    expect(early.output()).toMatch(/no engines run on the data folder/);

    const engines = keep(startPart('engines.main', env));
    await engines.printed(/SQS API at/);
    const parts = (['api.main', 'watcher.main', 'worker.main', 'worker.main'] as const).map((part) =>
      keep(startPart(part, env)),
    );
    const [api] = parts;
    const [, url = ''] = (await api?.printed(/listens on (http:\S+)/)) ?? [];
    for (const worker of parts.slice(2)) await worker.printed(/waits for jobs/);

    const alice = client(url, folder.path, 'alice');
    // more than the polls of one of them take at once
    const jobs = await Promise.all(
      Array.from({ length: 60 }, (_, i) => alice('POST', '/jobs', callTarget(`/side-${i}`, { in: 'PT3S' }))),
    );
    await Promise.all(jobs.map((_, i) => target.called(`/side-${i}`, 1, 60_000)));
    await sleep(500);
    const workers = new Set<string>();
    for (const [i, { body: job }] of jobs.entries()) {
      expect(target.calls(`/side-${i}`)).toHaveLength(1);
      const { body } = await alice('GET', `/jobs/${job.id}`);
      expect(body.lastExecution).toMatchObject({ status: 'succeeded' });
      workers.add(body.lastExecution.workerId);
    }
    expect(workers.size).toBe(2);
    for (const part of parts.toReversed()) expect(await part.stop()).toBe(0);
    expect(await engines.stop()).toBe(0);
  });

  it('npm start runs on external endpoints, by AWS_ENDPOINT_URL_…', async () => {
    folder = temporaryFolder();
    const elsewhere = temporaryFolder();
    const engines = keep(startPart('engines.main', { PUNCTUAL_DATA: elsewhere.path }));
    const [, dynamodb = '', sqs = ''] = await engines.printed(/DynamoDB API at (\S+), SQS API at (\S+) /);
    const local = keep(
      await startLocal(folder.path, {
        AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
        AWS_ENDPOINT_URL_SQS: sqs,
        PUNCTUAL_PREFIX: 'x-',
      }),
    );
    await local.as('alice')('POST', '/jobs', callTarget('/elsewhere'));
    await target.called('/elsewhere', 1, 60_000);
    expect(await local.stop()).toBe(0);
    await engines.stop();
    elsewhere.remove();
  });
});
