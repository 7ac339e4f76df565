import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Heap, type HeapItem } from '../../../src/concurrency/heap.ts';
import { createWorkQueue } from '../../../src/queue/in-process/work-queue.ts';
import type { Message, Received } from '../../../src/queue/queue.ts';
import { T0 } from '../../support/fixtures.ts';
import { StandingClock, settle } from '../../support/standing-clock.ts';

const AHEAD = 1_200;
const VISIBILITY = 30_000;
const never = new AbortController().signal;

const aMessage = (name: string, fireAt: number): Message => ({
  jobId: `job_${name}`,
  due: String(T0),
  revision: 'r',
  fireAt,
  enqueuedAt: T0,
});

function aQueue() {
  const timer = new StandingClock(T0);
  const buried: string[] = [];
  const { queue, receiver, size } = createWorkQueue({
    timer,
    earlyMs: AHEAD,
    visibilityMs: VISIBILITY,
    onDeadLetter: (body, reason) => buried.push(`${reason}: ${body}`),
  });
  const send = (name: string, after: number) => queue.send([aMessage(name, T0 + after)]);
  /** The messages that a receiver got. Undefined: it waits. */
  const receive = (max = 10, signal = never) => {
    const state: { received?: Received[]; names?: string[] } = {};
    void receiver.receive(max, signal).then((received) => {
      state.received = received;
      state.names = received.map(({ message }) => message?.jobId.slice(4) ?? '?');
    });
    return state;
  };
  return { timer, queue, receiver, size, send, receive, buried };
}

describe('the work queue in memory', () => {
  test('delivers a message `earlyMs` before its fire time, with one timer', async () => {
    const { timer, send, receive } = aQueue();
    const waiting = receive();
    await send('later', 60_000);
    await send('soon', 10_000);
    expect(timer.sleeping).toBe(1);
    await timer.advance(10_000 - AHEAD - 1);
    expect(waiting.names).toBeUndefined();
    await timer.advance(1);
    expect(waiting.names).toEqual(['soon']);
    expect(waiting.received?.[0]).toMatchObject({ receivedAt: timer.now(), receiveCount: 1 });
  });

  test('drops a message with the content of a waiting one, and keeps one that is sent after the delivery', async () => {
    const { timer, send, receive, size } = aQueue();
    await send('a', 10_000);
    await send('a', 10_000);
    await send('a', 20_000);
    expect(size()).toBe(2);
    await timer.advance(10_000);
    expect(receive().names).toBeUndefined();
    await settle();
    await send('a', 10_000);
    const again = receive();
    await settle();
    expect(again.names).toEqual(['a']);
  });

  test('wakes a receiver for a message that comes before the one it waits for', async () => {
    const { timer, send, receive } = aQueue();
    await send('later', 60_000);
    const waiting = receive();
    await timer.advance(5_000);
    await send('now', 0);
    await settle();
    expect(waiting.names).toEqual(['now']);
  });

  test('delivers at most `max` messages, oldest first', async () => {
    const { queue, receive } = aQueue();
    const messages = Array.from({ length: 300 }, (_, i) => aMessage(String(i), T0 - 1_000 + ((i * 7) % 300)));
    await queue.send(messages);
    const first = receive(250);
    const second = receive(250);
    const third = receive(250);
    await settle();
    const order = messages.toSorted((a, b) => a.fireAt - b.fireAt).map(({ jobId }) => jobId.slice(4));
    expect([first.names, second.names]).toEqual([order.slice(0, 250), order.slice(250)]);
    expect(third.names).toBeUndefined();
  });

  test('waiting receives are served first come, first served', async () => {
    const { queue, receive } = aQueue();
    const [a, b, c] = [receive(2), receive(2), receive(2)];
    await queue.send(['1', '2', '3'].map((name, i) => aMessage(name, T0 - 10 + i)));
    await settle();
    expect([a.names, b.names, c.names]).toEqual([['1', '2'], ['3'], undefined]);
  });

  test('hides a received message, and delivers it again if it was not deleted', async () => {
    const { timer, send, receive, size } = aQueue();
    await send('a', 0);
    const first = receive();
    await settle();
    const second = receive();
    await timer.advance(VISIBILITY - 1);
    expect(second.names).toBeUndefined();
    await timer.advance(1);
    expect(second.received?.[0]?.receiveCount).toBe(2);
    // the first receiver may still delete the message, but not hide it from the second
    await first.received?.[0]?.setVisibility(0);
    const third = receive();
    await settle();
    expect(third.names).toBeUndefined();
    await first.received?.[0]?.delete();
    expect(size()).toBe(0);
    await timer.advance(10 * VISIBILITY);
    expect(third.names).toBeUndefined();
  });

  test('setVisibility hides the message from now on, for longer or shorter than before; 0 makes it visible', async () => {
    const { timer, send, receive } = aQueue();
    await send('a', 0);
    const first = receive();
    await settle();
    const one = first.received?.[0];
    await one?.setVisibility(100_000);
    await timer.advance(50_000);
    await one?.setVisibility(5_000);
    const second = receive();
    await timer.advance(4_999);
    expect(second.names).toBeUndefined();
    await timer.advance(1);
    expect(second.names).toEqual(['a']);
    await second.received?.[0]?.setVisibility(0);
    const third = receive();
    await settle();
    expect(third.received?.[0]?.receiveCount).toBe(3);
  });

  test('a deleted message is not delivered again, also if it is hidden afterwards', async () => {
    const { timer, send, receive, size } = aQueue();
    await send('a', 0);
    const first = receive();
    await settle();
    await first.received?.[0]?.delete();
    await first.received?.[0]?.setVisibility(0);
    await first.received?.[0]?.delete();
    expect(size()).toBe(0);
    const second = receive();
    await timer.advance(10 * VISIBILITY);
    expect(second.names).toBeUndefined();
  });

  test('a dead letter is reported and removed', async () => {
    const { send, receive, size, buried } = aQueue();
    await send('a', 0);
    const first = receive();
    await settle();
    await first.received?.[0]?.deadLetter('for a reason');
    expect(size()).toBe(0);
    expect(buried).toEqual([expect.stringContaining('for a reason: {"jobId":"job_a"')]);
  });

  test('an aborted receive returns no messages and receives none', async () => {
    const { timer, send, receive } = aQueue();
    const stop = new AbortController();
    const waiting = receive(10, stop.signal);
    await settle();
    stop.abort();
    await settle();
    expect(waiting.names).toEqual([]);
    const late = receive(10, stop.signal);
    await send('a', 0);
    const other = receive();
    await timer.advance(0);
    expect([late.names, other.names]).toEqual([[], ['a']]);
  });
});

test('the first item of the heap is the least, after random puts, moves and removals', () => {
  const steps = fc.array(
    fc.record({ item: fc.nat(15), at: fc.nat(20), what: fc.constantFrom('put', 'put', 'remove', 'take') }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(steps, (list) => {
      const heap = new Heap<HeapItem>();
      const items = Array.from({ length: 16 }, (_, order) => ({ at: 0, order, index: -1 }));
      const present = new Set<HeapItem>();
      for (const { item, at, what } of list) {
        const one = items[item] as HeapItem;
        const least = [...present].sort((a, b) => a.at - b.at || a.order - b.order)[0];
        expect(heap.first).toBe(least);
        expect(heap.size).toBe(present.size);
        if (what === 'put') {
          heap.put(one, at);
          present.add(one);
        } else {
          const gone = what === 'take' ? least : one;
          if (gone) heap.remove(gone);
          if (gone) present.delete(gone);
        }
      }
    }),
  );
});
