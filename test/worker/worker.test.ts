import { describe, expect, it } from 'vitest';
import { MAX_PLACE_WAIT_MS, PLACE_WAIT_MS } from '../../src/worker/places.ts';
import { BEAT_MS, PAUSE_AFTER_FEW_MS, STOP_GRACE_MS, WRONG_CLOCK_MS } from '../../src/worker/worker.ts';
import { NOON, settle } from '../support/standing-clock.ts';
import { FakeInbox, message, start } from './harness.ts';

const messages = (count: number, fireAt = NOON) => Array.from({ length: count }, () => message(fireAt));

describe('concurrency', () => {
  it('a slow job holds up nothing but itself', async () => {
    const { receiver, fake, clock } = start({ concurrency: 3 });
    const slow = message();
    receiver.put(slow);
    await settle();
    for (const quick of messages(20)) {
      receiver.put(quick);
      await clock.advance(PAUSE_AFTER_FEW_MS);
      fake.running.get(quick.id)?.end();
      await settle();
      expect(quick.fate).toEqual(['deleted']);
    }
    expect([...fake.running.keys()]).toEqual([slow.id]);
  });

  it('never runs more tasks than it has places, and starts the next when a place is free', async () => {
    const { receiver, fake } = start({ concurrency: 4 });
    const all = messages(25);
    receiver.put(...all);
    await settle();
    expect(fake.running.size).toBe(4);
    while (fake.running.size > 0) {
      fake.endAll();
      await settle();
    }
    expect(fake.most).toBe(4);
    expect(all.every(({ fate }) => fate.join() === 'deleted')).toBe(true);
  });

  it('asks for at most as many messages as it has free places, ten at most, and for none when full', async () => {
    const { receiver, fake } = start({ concurrency: 13 });
    receiver.put(...messages(30));
    await settle();
    expect(receiver.asked).toEqual([10, 3]);
    expect([receiver.polling, receiver.left]).toEqual([0, 17]);
    for (const { end } of [...fake.running.values()].slice(0, 2)) end();
    await settle();
    expect(receiver.asked.slice(2)).toEqual([2]);
  });

  it('polls every receiver even with a single place', async () => {
    const receivers = [new FakeInbox(), new FakeInbox(), new FakeInbox()];
    const { fake } = start({ concurrency: 1, receivers });
    await settle();
    expect(receivers.map(({ polling }) => polling)).toEqual([1, 1, 1]);
    receivers[2]?.put(message());
    await settle();
    expect(fake.running.size).toBe(1);
  });

  it('runs the configured number of concurrent long polls per receiver', async () => {
    const { receiver } = start({ pollersPerQueue: 3 });
    await settle();
    expect(receiver.polling).toBe(3);
  });

  it('after a poll that brought few it lets more come before the next, while another one listens', async () => {
    const { receiver, fake, clock } = start({ concurrency: 20, pollersPerQueue: 1 });
    receiver.put(message());
    await settle();
    receiver.put(...messages(3));
    await settle();
    expect([fake.running.size, receiver.polling]).toEqual([1, 0]);
    await clock.advance(PAUSE_AFTER_FEW_MS);
    expect(fake.running.size).toBe(4);
    const two = start({ concurrency: 20, pollersPerQueue: 2 });
    two.receiver.put(message());
    await settle();
    expect(two.receiver.polling).toBe(1);
    two.receiver.put(message());
    await settle();
    expect(two.fake.running.size).toBe(2);
  });

  it('receives as many messages as it has places at once, without a pause, if configured so', async () => {
    const inProcess = { pollersPerQueue: 1, maxPerReceive: Number.POSITIVE_INFINITY, pauseAfterFewMs: 0 };
    const { receiver, fake } = start({ concurrency: 40, ...inProcess });
    receiver.put(...messages(30));
    await settle();
    expect([fake.running.size, receiver.polling]).toEqual([30, 1]);
    receiver.put(...messages(10));
    await settle();
    expect([fake.running.size, receiver.polling]).toEqual([40, 0]);
    expect(receiver.asked).toEqual([40, 10]);
  });

  it('shares the free places among its polls, because each may bring messages that are due', async () => {
    const { receiver } = start({ concurrency: 12, pollersPerQueue: 3 });
    await settle();
    expect(receiver.asked).toEqual([4, 4, 4]);
  });
});

describe('messages that come early', () => {
  it('need no place until they are due', async () => {
    const { receiver, fake, clock } = start({ concurrency: 2 });
    const early = messages(8, NOON + 900);
    receiver.put(...early);
    await settle();
    expect(fake.held.size).toBe(8);
    const due = message();
    receiver.put(due);
    await settle();
    expect([...fake.running.keys()]).toEqual([due.id]);
    fake.endAll();
    await clock.advance(900);
    expect(fake.running.size).toBe(2);
  });

  it('are received up to a limit', async () => {
    const { receiver, fake } = start({ concurrency: 2, maxInHand: 7 });
    receiver.put(...messages(50, NOON + 900));
    await settle();
    expect(fake.held.size).toBe(7);
    expect([receiver.left, receiver.polling]).toEqual([43, 0]);
  });

  it('are by default up to 63 for each place', async () => {
    const { receiver, fake } = start({ concurrency: 3 });
    receiver.put(...messages(200, NOON + 900));
    await settle();
    expect(fake.held.size).toBe(189);
  });

  it('wait for a place if more are due than there are places, and return to the queue if that takes long', async () => {
    const { receiver, fake, clock } = start({ concurrency: 1 });
    const burst = messages(4, NOON + 500);
    receiver.put(...burst);
    await clock.advance(500);
    expect(fake.running.size).toBe(1);
    await clock.advance(PLACE_WAIT_MS / 2);
    fake.endAll();
    await settle();
    expect(burst.filter(({ fate }) => fate.join() === 'deleted')).toHaveLength(1);
    expect(fake.running.size).toBe(1);
    const back = () => burst.filter(({ fate }) => fate.join() === 'hidden 0');
    await clock.advance(PLACE_WAIT_MS);
    expect(back()).toHaveLength(1); // one ran for half a second: the other's turn should come
    await clock.advance(MAX_PLACE_WAIT_MS);
    expect(back()).toHaveLength(2);
    expect(fake.most).toBe(1);
  });

  it('never occupy more than the places, however bursts and due messages mix', async () => {
    const { receiver, fake, clock } = start({ concurrency: 3, pollersPerQueue: 2 });
    for (let round = 0; round < 20; round++) {
      receiver.put(...messages(7, clock.now() + 100), ...messages(4, clock.now()));
      await clock.advance(100);
      for (const { end } of [...fake.running.values()].slice(0, 1 + (round % 3))) end();
      await settle();
    }
    expect(fake.most).toBe(3);
  });

  it('that were returned are not polled for while no place is free', async () => {
    const { receiver, fake, clock } = start({ concurrency: 1 });
    receiver.put(...messages(3, NOON + 500));
    await clock.advance(500);
    const polls = receiver.asked.length; // one of them began before the places were acquired
    receiver.put(message());
    await clock.advance(10 * PLACE_WAIT_MS);
    expect([receiver.asked.length, receiver.polling, fake.running.size]).toEqual([polls, 0, 1]);
    fake.endAll();
    await settle();
    expect(receiver.polling).toBe(1);
  });
});

describe('what goes wrong', () => {
  it('a failed poll is repeated with growing pauses and never ends the loop', async () => {
    const { receiver, fake, clock, lines } = start();
    receiver.put(...Array.from({ length: 9 }, () => new Error('queue unreachable')));
    await clock.advance(60_000);
    const waits = lines
      .filter((line) => line.message === 'polling failed')
      .map(({ fields }) => fields.waitMs);
    expect(waits).toEqual([150, 300, 600, 1200, 2400, 4800, 7500, 7500, 7500]);

    receiver.put(message());
    await settle();
    expect(fake.running.size).toBe(1);
    receiver.put(new Error('again'));
    await clock.advance(200);
    expect(lines.at(-1)?.fields).toMatchObject({ waitMs: 150, failures: 1 });
  });

  it('a failing receiver does not keep the others from being read', async () => {
    const receivers = [new FakeInbox(), new FakeInbox()];
    const { fake } = start({ receivers });
    receivers[0]?.put(new Error('throttled'));
    receivers[1]?.put(message());
    await settle();
    expect(fake.running.size).toBe(1);
  });

  it('a body that is not a message of this scheduler is dead-lettered with the reason, and the rest of its batch runs', async () => {
    const { receiver, fake, lines } = start();
    const poison = message(NOON, 'hello?');
    receiver.put(poison, message());
    await settle();
    expect(poison.fate).toEqual(['buried: the body is not a message of this scheduler']);
    expect(lines.find(({ level }) => level === 'error')?.fields).toEqual({ body: 'hello?' });
    expect(fake.running.size).toBe(1);
  });

  it('a failed dead-letter of a body is only logged', async () => {
    const { receiver, fake, lines } = start();
    receiver.put(
      { ...message(NOON, 'hello?'), deadLetter: () => Promise.reject(new Error('no dead-letter queue')) },
      message(),
    );
    await settle();
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      message: expect.stringContaining('failed to dead-letter'),
    });
    expect(fake.running.size).toBe(1);
  });

  it('an unexpected failure is logged with the execution id and frees the place', async () => {
    const { receiver, fake, lines } = start({ concurrency: 1 });
    const failing = message();
    receiver.put(failing, message());
    await settle();
    fake.running.get(failing.id)?.fail(new Error('bug'));
    await settle();
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      fields: { executionId: failing.id, error: new Error('bug') },
    });
    expect(fake.running.size).toBe(1);
  });
});

describe('the worker row', () => {
  it('is written at once and every ten seconds, and names what runs since when', async () => {
    const { receiver, fake, clock, rows } = start();
    await settle();
    expect(rows).toMatchObject([
      { workerId: 'w1', host: 'here', startedAt: NOON, beatAt: NOON, running: [] },
    ]);
    const [first, second] = [message(), message(NOON + 3000)];
    receiver.put(first, second);
    await clock.advance(BEAT_MS);
    expect(rows[1]).toMatchObject({
      beatAt: NOON + BEAT_MS,
      running: [
        { id: first.id, since: NOON },
        { id: second.id, since: NOON + 3000 },
      ],
    });
    fake.endAll();
    await clock.advance(BEAT_MS);
    expect(rows[2]).toMatchObject({ startedAt: NOON, running: [] });
  });

  it('that cannot be written is logged and tried again at the next beat', async () => {
    const { clock, rows, store, lines } = start();
    const putWorker = store.putWorker;
    store.putWorker = () => Promise.reject(new Error('throttled'));
    await clock.advance(BEAT_MS);
    store.putWorker = putWorker;
    await clock.advance(BEAT_MS);
    expect(lines.map(({ message: text }) => text)).toContain('failed to write the worker row');
    expect(rows).toHaveLength(2);
  });
});

describe('drain', () => {
  it('returns messages that have not started, lets running tasks end, and removes the row last', async () => {
    const { worker, receiver, fake, clock, removed } = start({ concurrency: 2 });
    const [running, early] = [message(), message(NOON + 900)];
    receiver.put(running, early);
    await settle();
    let drained: unknown;
    void worker.stop({ deadlineMs: 60_000 }).then((summary) => {
      drained = summary;
    });
    await clock.advance(30_000);
    expect(early.fate).toEqual(['hidden 0']);
    expect([running.fate, fake.toldToStop, removed, drained]).toEqual([[], [], [], undefined]);

    fake.endAll();
    await settle();
    expect(drained).toEqual({ running: 1, toldToStop: 0, leftBehind: 0 });
    expect([running.fate, removed]).toEqual([['deleted'], ['w1']]);
  });

  it('stops polling at once, and returns the messages of the last poll', async () => {
    const { worker, receiver, fake } = start();
    await settle();
    expect(receiver.polling).toBe(1);
    const last = message();
    const stopping = worker.stop({ deadlineMs: 1000 });
    receiver.put(last);
    await stopping;
    expect(last.fate).toEqual(['hidden 0']);
    expect([receiver.polling, receiver.asked.length, fake.running.size]).toEqual([0, 1, 0]);
  });

  it('returns at once the messages that wait for a place', async () => {
    const { worker, receiver, fake, clock } = start({ concurrency: 1 });
    const burst = messages(3, NOON + 100);
    receiver.put(...burst);
    await clock.advance(100);
    void worker.stop({ deadlineMs: 60_000 });
    await settle();
    expect(burst.filter(({ fate }) => fate.join() === 'hidden 0')).toHaveLength(2);
    expect(fake.running.size).toBe(1);
  });

  it('refuses a place to a message that becomes due just then', async () => {
    const asked = Promise.withResolvers<void>();
    const answers: boolean[] = [];
    const { worker, receiver } = start({
      handleMessage: async (_context, { places }) => {
        await asked.promise;
        answers.push(await places.acquire());
      },
    });
    receiver.put(message());
    await settle();
    const stopping = worker.stop({ deadlineMs: 1000 });
    asked.resolve();
    await stopping;
    expect(answers).toEqual([false]);
  });

  it('tells what still runs at the deadline to stop, and waits until it has', async () => {
    const { worker, receiver, fake, clock, removed } = start();
    const job = message();
    receiver.put(job);
    await settle();
    const stopping = worker.stop({ deadlineMs: 5000 });
    await clock.advance(4999);
    expect(fake.toldToStop).toEqual([]);
    await clock.advance(1);
    expect(fake.toldToStop).toEqual([job.id]);
    await expect(stopping).resolves.toEqual({ running: 1, toldToStop: 1, leftBehind: 0 });
    expect([job.fate, removed]).toEqual([['deleted'], ['w1']]);
  });

  it('leaves behind what does not stop even then', async () => {
    const { worker, receiver, fake, clock, removed } = start();
    fake.obedient = false;
    receiver.put(message());
    await settle();
    const stopping = worker.stop({ deadlineMs: 5000 });
    await clock.advance(5000 + STOP_GRACE_MS);
    await expect(stopping).resolves.toEqual({ running: 1, toldToStop: 1, leftBehind: 1 });
    expect(removed).toEqual(['w1']);
  });

  it('ends by its deadline even when a poll does not listen', async () => {
    const deaf = { receive: () => new Promise<never>(() => {}) };
    const { worker, clock, removed } = start({ receivers: [deaf] });
    const stopping = worker.stop({ deadlineMs: 5000 });
    await clock.advance(5000);
    await stopping;
    expect(removed).toEqual(['w1']);
  });

  it('keeps writing its row while it drains, and never after the removal', async () => {
    const { worker, receiver, fake, clock, rows, removed } = start();
    receiver.put(message());
    await settle();
    const stopping = worker.stop({ deadlineMs: 60_000 });
    await clock.advance(2 * BEAT_MS);
    expect(rows).toHaveLength(3);
    expect(rows[2]?.running).toHaveLength(1);
    fake.endAll();
    await stopping;
    await clock.advance(2 * BEAT_MS);
    expect([rows.length, removed]).toEqual([3, ['w1']]);
  });

  it('waits for a beat that is under way, which would bring the row back', async () => {
    const { worker, clock, store, removed } = start();
    await settle();
    const written = Promise.withResolvers<void>();
    store.putWorker = () => written.promise;
    await clock.advance(BEAT_MS);
    const stopping = worker.stop({ deadlineMs: 1000 });
    await settle();
    expect(removed).toEqual([]);
    written.resolve();
    await stopping;
    expect(removed).toEqual(['w1']);
  });

  it('asked for twice is done once', async () => {
    const { worker, removed } = start();
    const first = worker.stop({ deadlineMs: 1000 });
    expect(worker.stop({ deadlineMs: 0 })).toBe(first);
    await first;
    expect(removed).toEqual(['w1']);
  });

  it('ends although the row cannot be removed', async () => {
    const { worker, store, lines } = start();
    store.removeWorker = () => Promise.reject(new Error('throttled'));
    await worker.stop({ deadlineMs: 1000 });
    expect(lines.map(({ message: text }) => text)).toContain('failed to remove the worker row');
  });
});

describe('a wrong clock', () => {
  const HOUR = 3_600_000;

  it('keeps the worker from receiving until it is right again, while running tasks and heartbeats continue', async () => {
    const { receiver, fake, clock, rows } = start();
    const running = message();
    receiver.put(running);
    await settle();
    for (const off of [HOUR, -HOUR]) {
      await clock.advance(PAUSE_AFTER_FEW_MS);
      clock.off = off;
      receiver.put(message()); // the poll that was under way brings it
      await clock.advance(PAUSE_AFTER_FEW_MS + WRONG_CLOCK_MS);
      const [asked, beats] = [receiver.asked.length, rows.length];
      receiver.put(message());
      await clock.advance(60_000);
      expect([receiver.asked.length, receiver.left]).toEqual([asked, 1]);
      expect(fake.running.has(running.id)).toBe(true);
      expect(rows.length).toBeGreaterThan(beats);
      clock.off = 0;
      await clock.advance(WRONG_CLOCK_MS + PAUSE_AFTER_FEW_MS);
      expect(receiver.left).toBe(0);
    }
  });

  it('does not keep it from draining', async () => {
    const { worker, clock, receiver } = start();
    await settle();
    clock.off = HOUR;
    receiver.put(new Error('so that the poll ends'));
    await clock.advance(10_000);
    expect(await worker.stop({ deadlineMs: 1000 })).toEqual({ running: 0, toldToStop: 0, leftBehind: 0 });
  });
});
