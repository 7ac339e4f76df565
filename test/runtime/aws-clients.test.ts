// The clients report the Date header of every response.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BatchGetItemCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClients } from '../../src/runtime/aws-clients.ts';

const DATE = 'Tue, 01 Dec 2026 12:00:00 GMT';
let status = 200;
let headers: Record<string, string> = { date: DATE };
const server = createServer((request, response) => {
  request.resume();
  response.sendDate = false;
  response.writeHead(status, headers).end(status === 200 ? '{}' : '{"__type":"ValidationException"}');
});
let endpoint = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

test('the clock is given the Date of each response, of errors too', async () => {
  const heard: { date: string | undefined; sent: number; received: number }[] = [];
  const clients = createClients({
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKID', secretAccessKey: 'one' },
    endpoints: { dynamodb: endpoint, sqs: endpoint },
    heard: (date, sent, received) => void heard.push({ date, sent, received }),
  });
  const RequestItems = { jobs: { Keys: [{ jobId: { S: 'a' } }] } };
  const read = () => clients.dynamodb.send(new BatchGetItemCommand({ RequestItems }));
  const receive = new ReceiveMessageCommand({ QueueUrl: `${endpoint}/queue` });

  const before = performance.now();
  status = 200;
  headers = { date: DATE };
  for (let i = 0; i < 3; i++) await read();
  await clients.sqs.send(receive);
  await clients.sqsPolls.send(receive);
  expect(heard.map(({ date }) => date)).toEqual(Array(5).fill(DATE));
  for (const { sent, received } of heard) {
    expect(sent).toBeGreaterThanOrEqual(before);
    expect(received).toBeGreaterThanOrEqual(sent);
    expect(received).toBeLessThanOrEqual(performance.now());
  }

  headers = {};
  await read();
  expect(heard.at(-1)?.date).toBeUndefined();
  status = 400;
  headers = { date: DATE };
  await expect(read()).rejects.toThrow();
  expect(heard.at(-1)?.date).toBe(DATE);
  clients.destroy();
});
