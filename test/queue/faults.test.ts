// SQS rejects entries of a batch or whole requests. No failure is ignored.
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, test } from 'vitest';
import type { StopSignal } from '../../src/concurrency/stopper.ts';
import { delaySeconds } from '../../src/queue/sqs/sender.ts';
import { createSqs } from '../../src/queue/sqs/sqs.ts';
import { aMessage } from '../support/fixtures.ts';

const client = new SQSClient({ region: 'us-east-1' });
const mock = mockClient(client);
const sleeps: number[] = [];
let now = Date.now();
const clock = {
  now: () => now,
  sleep: async (ms: number, signal?: StopSignal) => {
    // pauses between two tries. Other waits end early, with their batch or its answer
    if (!signal) sleeps.push(ms);
  },
};
const { queue, receivers } = createSqs({
  client,
  queueUrls: ['http://queue/work-0'],
  deadLetterUrl: 'http://queue/dead',
  clock,
});

const busy = (Id: string) => ({ Id, SenderFault: false, Code: 'ServiceUnavailable' });
const fault = (Id: string) => ({ Id, SenderFault: true, Code: 'InvalidParameterValue' });
const sent = () => mock.commandCalls(SendMessageBatchCommand).map((call) => call.args[0].input.Entries ?? []);
const deleted = () =>
  mock.commandCalls(DeleteMessageBatchCommand).map((call) => call.args[0].input.Entries ?? []);

beforeEach(() => {
  mock.reset();
  sleeps.length = 0;
});

describe('send', () => {
  test('rejected entries are sent again with growing delays', async () => {
    mock
      .on(SendMessageBatchCommand)
      .resolvesOnce({ Failed: [busy('1'), busy('2')] })
      .resolvesOnce({ Failed: [busy('2')] })
      .resolvesOnce({ Failed: [busy('2')] })
      .resolves({});
    const messages = [aMessage(), aMessage(), aMessage()];
    await queue.send(messages);
    expect(sent().map((entries) => entries.length)).toEqual([3, 2, 1, 1]);
    expect(sent().at(-1)?.[0]?.MessageBody).toContain(messages[2]?.jobId);
    expect(sleeps).toEqual([25, 50, 100]);
  });

  test('an entry that is always rejected is an error, after all others were sent', async () => {
    mock.on(SendMessageBatchCommand).callsFake((input) => {
      const first = input.Entries[0];
      return JSON.parse(first.MessageBody).revision === 'stuck' ? { Failed: [busy(first.Id)] } : {};
    });
    const messages = [aMessage({ revision: 'stuck' }), ...Array.from({ length: 99 }, () => aMessage())];
    await expect(queue.send(messages)).rejects.toThrow('SendMessageBatch: ServiceUnavailable');
    const first = new Set(sent().flatMap((entries) => entries.map((entry) => entry.MessageBody)));
    expect(first.size).toBe(100);
  });

  test("an entry that is the sender's fault is not retried", async () => {
    mock.on(SendMessageBatchCommand).resolves({ Failed: [fault('0')] });
    await expect(queue.send([aMessage()])).rejects.toThrow('InvalidParameterValue');
    expect(sent()).toHaveLength(1);
  });

  test('a request that fails as a whole is an error', async () => {
    mock.on(SendMessageBatchCommand).rejects(new Error('socket hang up'));
    await expect(queue.send([aMessage()])).rejects.toThrow('socket hang up');
  });

  test('a retry computes the delay again', async () => {
    mock
      .on(SendMessageBatchCommand)
      .callsFakeOnce(() => {
        now += 10_000;
        return { Failed: [busy('0')] };
      })
      .resolves({});
    await queue.send([aMessage({ fireAt: now + 60_000 })]);
    expect(sent().map(([entry]) => entry?.DelaySeconds)).toEqual([59, 49]);
  });

  test.each([
    [-5_000, 0],
    [0, 0],
    [1_999, 0],
    [2_000, 1],
    [2_999, 1],
    [300_000, 299],
    [900_000, 899],
    [901_999, 900],
    [5_000_000, 900],
  ])('due in %i ms: delayed by %i s', (ms, seconds) => {
    expect(delaySeconds(1_000_000 + ms, 1_000_000)).toBe(seconds);
  });
});

describe('delete', () => {
  async function receive(count: number) {
    const Messages = Array.from({ length: count }, (_, i) => ({ Body: '{}', ReceiptHandle: `handle-${i}` }));
    mock.on(ReceiveMessageCommand).resolves({ Messages });
    return (await receivers[0]?.receive(10, new AbortController().signal)) ?? [];
  }

  test('only the caller of a failed entry gets the failure', async () => {
    const received = await receive(4);
    mock.on(DeleteMessageBatchCommand).resolves({ Failed: [fault('1')] });
    const done = await Promise.allSettled(received.map((one) => one.delete()));
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });

  test('rejected entries are deleted in a retry', async () => {
    const received = await receive(3);
    mock
      .on(DeleteMessageBatchCommand)
      .resolvesOnce({ Failed: [busy('0'), busy('2')] })
      .resolvesOnce({ Failed: [busy('2')] })
      .resolves({});
    await Promise.all(received.map((one) => one.delete()));
    expect(deleted().map((entries) => entries.map((entry) => entry.ReceiptHandle))).toEqual([
      ['handle-0', 'handle-1', 'handle-2'],
      ['handle-0', 'handle-2'],
      ['handle-2'],
    ]);
  });

  test('a request that fails as a whole fails all of its callers', async () => {
    const received = await receive(2);
    mock.on(DeleteMessageBatchCommand).rejects(new Error('socket hang up'));
    const done = await Promise.allSettled(received.map((one) => one.delete()));
    expect(done.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  test('the eleventh delete waits for the next batch', async () => {
    const received = [...(await receive(10)), ...(await receive(3))];
    mock.on(DeleteMessageBatchCommand).resolves({});
    await Promise.all(received.map((one) => one.delete()));
    expect(deleted().map((entries) => entries.length)).toEqual([10, 3]);
  });

  test('a message that could not be sent to the dead-letter queue is not deleted', async () => {
    const [one] = await receive(1);
    mock.on(SendMessageCommand).rejects(new Error('throttled'));
    await expect(one?.deadLetter('why')).rejects.toThrow('throttled');
    expect(deleted()).toEqual([]);
  });

  test('the visibility timeout is cut to the maximum of SQS', async () => {
    const [one] = await receive(1);
    mock.on(ChangeMessageVisibilityBatchCommand).resolves({});
    now += 3_600_000;
    await one?.setVisibility(13 * 3_600_000);
    const [call] = mock.commandCalls(ChangeMessageVisibilityBatchCommand);
    expect(call?.args[0].input.Entries?.[0]?.VisibilityTimeout).toBe(43_200 - 3_600 - 1);
  });
});
