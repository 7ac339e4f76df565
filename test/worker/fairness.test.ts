import { describe, expect, it } from 'vitest';
import type { Message, Received } from '../../src/queue/queue.ts';
import { REFUSED_BACKOFF } from '../../src/worker/message-port.ts';
import { MAX_PLACE_WAIT_MS } from '../../src/worker/places.ts';
import { BEAT_MS, PAUSE_AFTER_REFUSALS_MS } from '../../src/worker/worker.ts';
import { NOON, settle } from '../support/standing-clock.ts';
import { type FakeMessage, message, start } from './harness.ts';

const of = (owner: string, count: number, fireAt = NOON) =>
  Array.from({ length: count }, () => message(fireAt, undefined, owner));
const ownersOf = (messages: readonly FakeMessage[], running: ReadonlyMap<string, unknown>) =>
  messages.filter(({ id }) => running.has(id)).length;
const hidden = (messages: readonly FakeMessage[]) =>
  messages.flatMap(({ fate }) => fate).filter((one) => one.startsWith('hidden'));

describe('an owner that floods a worker', () => {
  it('with long tasks leaves places for others, and its messages come back later and later', async () => {
    const { receiver, fake, clock } = start({ concurrency: 20 });
    const flood = of('ann', 100);
    receiver.put(...flood);
    await clock.advance(MAX_PLACE_WAIT_MS);
    expect(ownersOf(flood, fake.running)).toBe(16);
    const bob = of('bob', 2);
    receiver.put(...bob);
    await clock.advance(1_000);
    expect(ownersOf(bob, fake.running)).toBe(2);
    expect(receiver.left).toBe(0);
    // everything of ann that does not run was returned, after 750 ms (the middle of the jitter of a first refusal)
    expect(new Set(hidden(flood))).toEqual(new Set(['hidden 750']));
    expect(hidden(flood)).toHaveLength(84);
    const again: FakeMessage = { ...message(NOON, undefined, 'ann'), receiveCount: 5 };
    const often: FakeMessage = { ...message(NOON, undefined, 'ann'), receiveCount: 50 };
    receiver.put(again, often);
    await clock.advance(MAX_PLACE_WAIT_MS);
    expect([again.fate, often.fate]).toEqual([
      [`hidden ${REFUSED_BACKOFF.baseMs * 16 * 0.75}`],
      [`hidden ${REFUSED_BACKOFF.maxMs * 0.75}`],
    ]);
  });

  it('with messages that are not yet due leaves room in the hand', async () => {
    const { receiver, fake, clock } = start({ concurrency: 10, maxInHand: 100 });
    receiver.put(...of('ann', 300, NOON + 20_000));
    await clock.advance(1_000);
    expect(fake.held.size).toBe(80);
    const bob = of('bob', 30, NOON + 20_000);
    receiver.put(...bob);
    await clock.advance(1_000);
    expect(bob.filter(({ id }) => fake.held.has(id))).toHaveLength(16);
    expect(receiver.polling).toBe(1);
  });

  it('with messages that became due in the worker does not keep it from polling', async () => {
    const { receiver, fake, clock } = start({ concurrency: 20 });
    receiver.put(...of('ann', 800, NOON + 2_000));
    await clock.advance(1_000);
    expect(fake.held.size).toBe(800);
    await clock.advance(1_000);
    // 800 due messages are four times the limit of 200
    const bob = of('bob', 3, clock.now());
    receiver.put(...bob);
    await settle();
    expect(ownersOf(bob, fake.running)).toBe(3);
  });

  it('is named in a log line, by its hash', async () => {
    const { receiver, clock, lines } = start({ concurrency: 20 });
    receiver.put(...of('ann', 40));
    await clock.advance(2 * BEAT_MS);
    const line = lines.filter(({ message: text }) => text.startsWith('refused messages'));
    expect(line).toEqual([
      {
        level: 'warn',
        message: 'refused messages of owners that have their share',
        fields: { workerId: 'w1', total: 24, owners: [{ owner: 'ann', refused: 24 }] },
      },
    ]);
  });

  it('may use everything with a share of 1', async () => {
    const { receiver, fake } = start({ concurrency: 20, ownerShare: 1 });
    receiver.put(...of('ann', 100));
    await settle();
    expect(fake.running.size).toBe(20);
  });

  it('is polled for at a limited rate', async () => {
    const { receiver, clock } = start({ concurrency: 10, maxInHand: 10 });
    receiver.put(...of('ann', 5_000, NOON + 30_000));
    await clock.advance(1_000);
    expect(receiver.asked.length).toBeLessThanOrEqual(2 + 1_000 / PAUSE_AFTER_REFUSALS_MS);
    expect(receiver.asked.length).toBeGreaterThan(10);
  });
});

describe('eighty jobs of one owner that are due at one instant', () => {
  it('start at once on 100 places', async () => {
    const { receiver, fake, clock } = start();
    receiver.put(...of('ann', 80, NOON + 1_000));
    await clock.advance(1_000);
    // tasks start in groups of 20 per turn of the event loop
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(fake.running.size).toBe(80);
  });
});

describe('a message that is returned often', () => {
  const returned = async (receiveCount: number) => {
    const sent: Message[] = [];
    const worker = start({ concurrency: 10, maxInHand: 10 });
    worker.context.queue.send = async (messages) => {
      sent.push(...messages);
    };
    worker.receiver.put(...of('ann', 8, NOON + 30_000));
    const one: FakeMessage & Received = {
      ...message(NOON, undefined, 'ann'),
      receiveCount,
      maxReceives: 1_000,
    };
    worker.receiver.put(one);
    await worker.clock.advance(100);
    return { fate: one.fate, sent, one };
  };

  it('is replaced by a copy before it would become a dead letter', async () => {
    expect((await returned(499)).fate).toEqual([expect.stringMatching(/^hidden/)]);
    const { fate, sent, one } = await returned(500);
    expect([fate, sent]).toEqual([['deleted'], [one.message]]);
  });
});

describe('a message without an owner', () => {
  it('is counted for the owner that its head names', async () => {
    const userId = 'ann';
    const { receiver, fake, clock } = start({
      concurrency: 20,
      handleMessage: (context, worker, received) => {
        worker.places.ownedBy(userId);
        return fake.handleMessage(context, worker, received);
      },
    });
    receiver.put(...Array.from({ length: 40 }, () => message()));
    await clock.advance(MAX_PLACE_WAIT_MS);
    expect(fake.running.size).toBe(16);
  });
});
