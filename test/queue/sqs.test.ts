// The queue against fauxqs: a message is delivered at its time, and again until it is deleted.
import {
  ReceiveMessageCommand,
  type SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hash } from '../../src/domain/hash.ts';
import type { Received } from '../../src/queue/queue.ts';
import { createQueues, type QueueUrls } from '../../src/queue/sqs/queue-definitions.ts';
import { createSqs, type Sqs } from '../../src/queue/sqs/sqs.ts';
import { systemClock } from '../../src/runtime/clock/system-clock.ts';
import { startQueueServer } from '../support/engines.ts';
import { aMessage } from '../support/fixtures.ts';

let server: Awaited<ReturnType<typeof startQueueServer>>;
let urls: QueueUrls;
let sqs: Sqs;
let prefix = 0;
const requests: string[] = [];

async function fresh(count = 1): Promise<void> {
  urls = await createQueues(server.client, `p${prefix++}-`, count);
  requests.length = 0;
  const meter = (operation: string) => requests.push(operation);
  sqs = createSqs({ client: server.client, ...urls, clock: systemClock, meter });
}

/** Polls queue `index` for at most `ms`. */
async function receive(index = 0, ms = 1_000): Promise<Received[]> {
  const receiver = sqs.receivers[index];
  if (!receiver) throw new Error(`there is no queue ${index}`);
  return receiver.receive(10, AbortSignal.timeout(ms));
}

beforeAll(async () => {
  server = await startQueueServer();
});
afterAll(() => server.stop());

describe('queues', () => {
  test('are created once, and existing queues are not changed', async () => {
    await fresh(3);
    const again = await createQueues(server.client, `p${prefix - 1}-`, 4);
    expect(again.queueUrls.slice(0, 3)).toEqual(urls.queueUrls);
    expect(again.deadLetterUrl).toBe(urls.deadLetterUrl);
    expect(new Set(again.queueUrls).size).toBe(4);
  });

  test('a sender without queues fails at the start', () => {
    const make = () =>
      createSqs({ client: server.client, queueUrls: [], deadLetterUrl: '', clock: systemClock });
    expect(make).toThrow('at least one work queue');
  });
});

describe('send and receive', () => {
  test('the group of a message is its owner, or its job if the owner is not known', async () => {
    // fauxqs accepts groups and does not return them
    const sent: SendMessageBatchCommand['input'][] = [];
    const client = { send: async (command: SendMessageBatchCommand) => sent.push(command.input) && {} };
    const { queue } = createSqs({
      ...{ client: client as unknown as SQSClient, queueUrls: ['u'], deadLetterUrl: 'd', clock: systemClock },
    });
    const { owner: _, ...unowned } = aMessage();
    await queue.send([
      { ...unowned, jobId: 'job_a', owner: 'GzLCjLOM' },
      { ...unowned, jobId: 'job_b' },
    ]);
    const groups = sent.flatMap(({ Entries = [] }) => Entries.map(({ MessageGroupId }) => MessageGroupId));
    expect(groups).toEqual(['GzLCjLOM', 'job_b']);
  });

  test('a message arrives as it was sent', async () => {
    await fresh();
    const message = aMessage();
    await sqs.queue.send([message]);
    const [received] = await receive();
    expect(received?.message).toStrictEqual(message);
    expect(Math.abs((received?.receivedAt ?? 0) - Date.now())).toBeLessThan(1_000);
  });

  test('95 messages go in as few requests as possible, each to the queue of its job', async () => {
    await fresh(2);
    const messages = Array.from({ length: 95 }, () => aMessage());
    await sqs.queue.send(messages);
    expect(requests.length).toBeLessThanOrEqual(11);
    for (const index of [0, 1]) {
      const wanted = messages.filter(({ jobId }) => hash(jobId) % 2 === index).map(({ jobId }) => jobId);
      const found: string[] = [];
      while (found.length < wanted.length) {
        const batch = await receive(index);
        if (batch.length === 0) break;
        found.push(...batch.map(({ message }) => message?.jobId ?? 'none'));
      }
      expect(found.sort()).toEqual(wanted.sort());
    }
  });

  test('an empty list is no request', async () => {
    await fresh();
    await sqs.queue.send([]);
    expect(requests).toEqual([]);
  });

  test('a message arrives at most two seconds before its fire time', async () => {
    await fresh();
    const fireAt = Date.now() + 3_200;
    await sqs.queue.send([aMessage({ fireAt })]);
    const [received] = await receive(0, 5_000);
    const early = fireAt - (received?.receivedAt ?? 0);
    expect(early).toBeGreaterThan(0);
    expect(early).toBeLessThan(2_100);
  });

  test('a foreign body has no `message`, and can be dead-lettered', async () => {
    await fresh();
    const bodies = [
      'not json',
      '{}',
      '[]',
      'null',
      '{"jobId":"j","due":"soon","revision":"r","fireAt":1,"enqueuedAt":1}',
    ];
    for (const MessageBody of bodies) {
      await server.client.send(new SendMessageCommand({ QueueUrl: urls.queueUrls[0], MessageBody }));
    }
    const received = await receive();
    expect(received.map(({ body }) => body).sort()).toEqual([...bodies].sort());
    expect(received.every(({ message }) => message === undefined)).toBe(true);
    await Promise.all(received.map((one) => one.deadLetter('no message of ours \u0001 \ud800 日本 🕐')));
    const dead = await server.client.send(
      new ReceiveMessageCommand({
        QueueUrl: urls.deadLetterUrl,
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
      }),
    );
    expect(dead.Messages?.map(({ Body }) => Body).sort()).toEqual([...bodies].sort());
    expect(dead.Messages?.[0]?.MessageAttributes?.reason?.StringValue).toBe('no message of ours     日本 🕐');
    expect(await receive(0, 200)).toEqual([]);
  });
});

describe('a received message', () => {
  test('concurrent deletes are one request, and the messages are not delivered again', async () => {
    await fresh();
    await sqs.queue.send(Array.from({ length: 10 }, () => aMessage()));
    const received = await receive();
    requests.length = 0;
    await Promise.all(received.map((one) => one.delete()));
    expect(requests).toEqual(['DeleteMessageBatch']);
    expect(await receive(0, 200)).toEqual([]);
  });

  test('hidden for 0 ms is visible at once, and for 1 s after that time', async () => {
    await fresh();
    await sqs.queue.send([aMessage()]);
    const [first] = await receive();
    await first?.setVisibility(0);
    const [second] = await receive();
    expect(second?.message).toEqual(first?.message);
    const hiddenAt = Date.now();
    await second?.setVisibility(900);
    const [third] = await receive(0, 3_000);
    expect(third?.message).toEqual(first?.message);
    expect(Date.now() - hiddenAt).toBeGreaterThanOrEqual(990);
  });

  test('of a dead worker is visible after the lease, whatever the visibility timeout of the queue', async () => {
    await fresh();
    sqs = createSqs({ client: server.client, ...urls, visibilityMs: 900, clock: systemClock });
    await sqs.queue.send([aMessage()]);
    const [first] = await receive();
    const receivedAt = Date.now();
    expect(first?.message).toBeDefined();
    expect((await receive(0, 10_000))[0]?.message).toEqual(first?.message);
    expect(Date.now() - receivedAt).toBeGreaterThanOrEqual(900);
  });

  test('is not lost by an aborted poll', async () => {
    await fresh();
    expect(await receive(0, 50)).toEqual([]);
    expect(await sqs.receivers[0]?.receive(10, AbortSignal.abort())).toEqual([]);
    // as on AWS, a message that is delivered during the abort is visible again after 30 s
    await systemClock.sleep(50);
    const message = aMessage();
    await sqs.queue.send([message]);
    expect((await receive())[0]?.message).toEqual(message);
  });
});
