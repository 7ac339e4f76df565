import { describe, expect, onTestFinished, test } from 'vitest';
import { createDurableQueue } from '../../../src/queue/in-process/durable-queue.ts';
import { createStoredQueues } from '../../../src/queue/in-process/stored-queues.ts';
import type { Received } from '../../../src/queue/queue.ts';
import { createMemorySqlite } from '../../../src/store/sqlite/sqlite.ts';
import { T0 } from '../../support/fixtures.ts';
import { aStore } from '../../support/sqlite-file.ts';
import { StandingClock, settle } from '../../support/standing-clock.ts';

const never = new AbortController().signal;
let receipts = 0;
const id = () => `r${receipts++}`;

function aTable() {
  const { messages, close } = createMemorySqlite({ shards: 1 });
  onTestFinished(close);
  return messages;
}

function aQueue(timer = new StandingClock(T0), table = aTable()) {
  const queue = createDurableQueue({
    ...{ table, timer, id, name: 'q', deadLetters: 'q-dead' },
    ...{
      visibilitySeconds: 60,
      maxReceiveCount: 3,
      retentionSeconds: 3_600,
      deadLetterRetentionSeconds: 7_200,
    },
  });
  const receive = (max = 10, signal = never) => {
    const state: { received?: Received[]; bodies?: string[] } = {};
    void queue.receiver.receive(max, signal).then((received) => {
      state.received = received;
      state.bodies = received.map(({ body }) => body);
    });
    return state;
  };
  return { timer, table, receive, ...queue };
}

/** The bodies of a queue. */
const bodiesIn = async (table: ReturnType<typeof aTable>, queue: string) =>
  (await table.receive(queue, 100, Number.MAX_SAFE_INTEGER, 0, 'look')).map(({ body }) => body);

describe('a queue on a table', () => {
  test('wakes a waiting receive, which gets at most `max` messages, in order', async () => {
    const { send, receive, timer } = aQueue();
    const waiting = receive(2);
    await timer.advance(1_000);
    await send(['a', 'b', 'c']);
    await settle();
    expect(waiting.bodies).toEqual(['a', 'b']);
    const rest = receive();
    await settle();
    expect(rest.bodies).toEqual(['c']);
  });

  test('a delay may be a fraction of a millisecond', async () => {
    const { send, receive, timer } = aQueue();
    await send(['a'], 0.5);
    const waiting = receive();
    await timer.advance(1);
    await settle();
    expect(waiting.bodies).toEqual(['a']);
    await waiting.received?.[0]?.setVisibility(1_999.5);
    const again = receive();
    await timer.advance(2_000);
    await settle();
    expect(again.bodies).toEqual(['a']);
  });

  test('a delayed message is delivered after its delay', async () => {
    const { send, receive, timer } = aQueue();
    const waiting = receive();
    await send(['later'], 5_000);
    await timer.advance(4_999);
    expect(waiting.bodies).toBeUndefined();
    await timer.advance(1);
    expect(waiting.bodies).toEqual(['later']);
  });

  test('delivers a message again until it is deleted', async () => {
    const { send, receive, timer } = aQueue();
    await send(['a']);
    const first = receive();
    await settle();
    const second = receive();
    await timer.advance(59_999);
    expect(second.bodies).toBeUndefined();
    await timer.advance(1);
    expect(second.received?.[0]).toMatchObject({ body: 'a', receiveCount: 2 });
    await first.received?.[0]?.setVisibility(0); // no longer the first one's
    await second.received?.[0]?.delete();
    const third = receive();
    await timer.advance(600_000);
    expect(third.bodies).toBeUndefined();
  });

  test('setVisibility makes the message visible at the given time', async () => {
    const { send, receive, timer } = aQueue();
    await send(['a']);
    const first = receive();
    await settle();
    await first.received?.[0]?.setVisibility(3_000);
    const second = receive();
    await timer.advance(2_999);
    expect(second.bodies).toBeUndefined();
    await timer.advance(1);
    expect(second.bodies).toEqual(['a']);
  });

  test('a message goes to the dead letters on request, or after too many receives', async () => {
    const { send, receive, timer, table } = aQueue();
    await send(['bad']);
    const first = receive();
    await settle();
    await first.received?.[0]?.deadLetter('no good');
    expect(await bodiesIn(table, 'q-dead')).toEqual(['bad']);
    await send(['poison']);
    for (let receiveCount = 1; receiveCount <= 3; receiveCount++) {
      const again = receive();
      await timer.advance(60_000);
      expect(again.received?.[0]).toMatchObject({ body: 'poison', receiveCount });
    }
    const last = receive();
    await timer.advance(120_000);
    expect(last.bodies).toBeUndefined();
    expect(await bodiesIn(table, 'q-dead')).toEqual(['bad', 'poison']);
    expect(await bodiesIn(table, 'q')).toEqual([]);
  });

  test('an aborted receive returns no messages', async () => {
    const { receive } = aQueue();
    const stop = new AbortController();
    const waiting = receive(10, stop.signal);
    await settle();
    stop.abort();
    await settle();
    expect(waiting.bodies).toEqual([]);
  });

  test('queues of one table do not see each other', async () => {
    const timer = new StandingClock(T0);
    const table = aTable();
    const { ingest, notify } = createStoredQueues({ table, timer, id });
    await table.send('ingest', ['x'], T0, T0);
    expect((await ingest.receiver.receive(10, never)).map(({ body }) => body)).toEqual(['x']);
    const stop = new AbortController();
    const nothing = notify.receiver.receive(10, stop.signal);
    stop.abort();
    expect(await nothing).toEqual([]);
  });
});

test('messages are delivered after a restart, at once, received ones included', async () => {
  const first = await aStore();
  const { ingest } = createStoredQueues({ table: first.messages, timer: new StandingClock(T0), id });
  const message = { userId: 'u', idempotencyKey: 'k', spec: {}, acceptedAt: T0 } as never;
  expect(await ingest.queue.send(message)).toBe(true);
  expect(await ingest.queue.send(message)).toBe(true);
  const [inHand] = await ingest.receiver.receive(1, never);
  expect(inHand?.receiveCount).toBe(1);
  await first.close();

  const again = await aStore(first.file, 90, T0 + 1);
  const restarted = createStoredQueues({ table: again.messages, timer: new StandingClock(T0 + 1), id });
  const received = await restarted.ingest.receiver.receive(10, never);
  expect(received.map(({ receiveCount: times }) => times)).toEqual([2, 1]);
});
