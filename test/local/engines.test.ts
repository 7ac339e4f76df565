import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { describe, expect, test, vi } from 'vitest';
import { createDynamoStore } from '../../src/store/dynamodb/dynamodb.ts';
import { createTables } from '../../src/store/dynamodb/tables.ts';
import { startDynoxide, startQueueServer } from '../support/engines.ts';
import { aHead } from '../support/fixtures.ts';
import { until } from '../support/until.ts';

/** Nobody listens any more: the process is gone, even where nobody has collected its exit code yet. */
const gone = (endpoint: string): Promise<boolean> =>
  until(`${endpoint} does not answer`, () =>
    fetch(endpoint).then(
      () => false,
      () => true,
    ),
  );

describe('dynoxide', () => {
  test('answers after the start, and has ended after stop', async () => {
    const engine = await startDynoxide();
    expect((await engine.client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
    await engine.stop();
    expect(await gone(engine.endpoint)).toBe(true);
    await engine.stop();
  });

  test('keeps acknowledged writes after kill -9', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'punctual-'));
    const dataPath = join(directory, 'tables.db');
    const first = await startDynoxide({ dataPath });
    await first.client.send(
      new CreateTableCommand({
        TableName: 'kept',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    );
    process.kill(first.pid, 'SIGKILL');
    expect(await first.ended).toContain('SIGKILL');
    const second = await startDynoxide({ dataPath });
    expect((await second.client.send(new ListTablesCommand({}))).TableNames).toEqual(['kept']);
    await second.stop();
    await rm(directory, { recursive: true });
  });

  test('keeps every acknowledged write after kill -9 in the middle of writes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'punctual-'));
    const dataPath = join(directory, 'tables.db');
    const first = await startDynoxide({ dataPath });
    await createTables(first.client, '');
    const options = { tablePrefix: '', shards: 4 };
    const store = createDynamoStore({ client: first.client, ...options });
    const acknowledged: string[] = [];
    const writer = async () => {
      for (;;) {
        const head = aHead();
        if (await store.insertHead(head)) acknowledged.push(head.jobId);
        if (acknowledged.length === 300) process.kill(first.pid, 'SIGKILL');
      }
    };
    await Promise.allSettled(Array.from({ length: 8 }, writer));
    const second = await startDynoxide({ dataPath });
    const found = await createDynamoStore({ client: second.client, ...options }).readHeads(acknowledged, {
      consistent: true,
    });
    expect(acknowledged.length).toBeGreaterThanOrEqual(300);
    expect(found).toHaveLength(acknowledged.length);
    await second.stop();
    await rm(directory, { recursive: true });
  });

  test('dies with its parent, also when the parent is killed with -9', async () => {
    const module = new URL('../../src/local/dynoxide.ts', import.meta.url).href;
    const source = `import { startDynoxide } from '${module}'; console.log((await startDynoxide()).endpoint);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', source]);
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const endpoint = String(line).trim();
    expect((await fetch(endpoint)).status).toBeLessThan(500);
    parent.kill('SIGKILL');
    expect(await gone(endpoint)).toBe(true);
  });

  test('the error names a port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await expect(startDynoxide({ port })).rejects.toThrow(`dynoxide did not start on port ${port}`);
    other.close();
  });
});

describe('fauxqs', () => {
  test('listens on the loopback interface only', async () => {
    const server = await startQueueServer();
    const port = Number(new URL(server.endpoint).port);
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter((a) => a.family === 'IPv4' && !a.internal);
    for (const { address } of others) {
      await expect(
        fetch(`http://${address}:${port}/health`, { signal: AbortSignal.timeout(500) }),
      ).rejects.toThrow();
    }
    expect((await fetch(`${server.endpoint}/health`)).status).toBe(200);
    await server.stop();
  });

  test('a message for an aborted long poll is delivered to the next one', async () => {
    const server = await startQueueServer();
    const { QueueUrl } = await server.client.send(new CreateQueueCommand({ QueueName: 'q' }));
    const abort = new AbortController();
    const poll = server.client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
      abortSignal: abort.signal,
    });
    await sleep(100);
    abort.abort();
    await expect(poll).rejects.toThrow();
    await sleep(50);
    await server.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
    const { Messages } = await server.client.send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 2 }),
    );
    expect(Messages?.[0]?.Body).toBe('hello');
    await server.stop();
  });

  test('a client that has its endpoint from the environment reaches the queues by their urls', async () => {
    const server = await startQueueServer();
    vi.stubEnv('AWS_ENDPOINT_URL', server.endpoint);
    const client = new SQSClient({
      region: 'eu-west-3',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: 'q' }));
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'hello' }));
    const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(Messages?.[0]?.Body).toBe('hello');
    vi.unstubAllEnvs();
    client.destroy();
    await server.stop();
  });
});
