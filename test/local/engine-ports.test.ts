// Jobs of local mode may call loopback, where the engines answer everybody: with a request of DynamoDB's API a job could
// read every table. So the scheduler's own ports are refused, by whatever worker, and by webhooks.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Folder,
  type LocalProcess,
  startLocal,
  startPart,
  startTarget,
  temporaryFolder,
} from '../support/processes.ts';

let folder: Folder;
let local: Awaited<ReturnType<typeof startLocal>>;
let target: Awaited<ReturnType<typeof startTarget>>;
beforeAll(async () => {
  folder = temporaryFolder();
  local = await startLocal(folder.path, {}, undefined, 'aws.main');
  target = await startTarget();
});
afterAll(async () => {
  await local.stop();
  target.stop();
  folder.remove();
});

const scan = (url: string) => ({
  task: 'http',
  params: {
    url,
    method: 'POST',
    headers: {
      'x-amz-target': 'DynamoDB_20120810.Scan',
      'content-type': 'application/x-amz-json-1.0',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: '{"TableName":"punctual-jobs"}',
  },
  retry: { maxAttempts: 1 },
});

async function endOf(job: object) {
  const me = local.as('me');
  const { body } = await me('POST', '/jobs', job);
  let end: { status: string; error?: { message: string }; workerId?: string } | undefined;
  await expect
    .poll(
      async () => {
        end = (await me('GET', `/jobs/${body.id}/executions`)).body.items[0];
        return end?.status;
      },
      { timeout: 60_000, interval: 100 },
    )
    .toMatch(/succeeded|failed/);
  return end;
}

const ownUrls = (): string[] => {
  const { dynamodb, sqs } = JSON.parse(readFileSync(join(folder.path, 'endpoints.json'), 'utf8'));
  return [dynamodb, sqs, `${local.url}/health`];
};

it('no job reaches the tables, the queues and the API; another server on loopback it does', async () => {
  for (const url of ownUrls()) {
    for (const host of ['127.0.0.1', 'localhost']) {
      const end = await endOf(scan(url.replace('127.0.0.1', host)));
      expect(end?.status).toBe('failed');
      expect(end?.error?.message).toMatch(
        /is where the scheduler itself listens, and calling it is not allowed here/,
      );
    }
  }
  expect(await endOf(scan(`${target.url}/hook`))).toMatchObject({ status: 'succeeded' });
});

it('nor does one that a worker in a process of its own runs, wherever the APIs listen', async () => {
  const others: LocalProcess[] = [];
  const start = (part: 'worker.main' | 'api.main') => {
    const started = startPart(part, { PUNCTUAL_DATA: folder.path });
    others.push(started);
    return started;
  };
  try {
    await start('worker.main').printed(/waits for jobs/);
    const [, second = ''] = await start('api.main').printed(/listens on (http:\S+)/);
    const workers = new Set<string | undefined>();
    for (const url of Array.from({ length: 6 }, () => [...ownUrls(), `${second}/health`]).flat()) {
      const end = await endOf(scan(url));
      expect(end?.error?.message).toMatch(/is where the scheduler itself listens/);
      workers.add(end?.workerId);
    }
    expect(workers.size).toBe(2);
    const [, api] = others;
    await api?.stop('SIGKILL');
    // its port is nobody's now
    const gone = await endOf(scan(`${second}/health`));
    expect(gone?.error?.message).toMatch(/ECONNREFUSED/);
  } finally {
    for (const other of others) await other.stop();
  }
});

it('nor does a webhook', async () => {
  const [dynamodb = ''] = ownUrls();
  const notify = [{ on: ['failed'], webhook: { url: `${dynamodb}/` } }];
  const end = await endOf({ task: 'noop', params: { fail: true }, retry: { maxAttempts: 1 }, notify });
  expect(end?.status).toBe('failed');
  await local.printed(/notification cannot be delivered.*is where the scheduler itself listens/);
});
