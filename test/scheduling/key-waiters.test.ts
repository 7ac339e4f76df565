import { beforeEach, expect, test } from 'vitest';
import type { Message, Received } from '../../src/queue/queue.ts';
import { DEFAULT_SETTINGS } from '../../src/scheduling/context.ts';
import { KeyWaiters } from '../../src/scheduling/running/key-waiters.ts';
import { StandingClock } from '../support/standing-clock.ts';

const quiet = () => {};
const noLog = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const KEY = { owner: 'ann', key: 'db' };
const slot = (n = 0) => ({ ...KEY, n, jobId: 'job', due: '0', token: 't', leaseUntil: 0 });
const messageOf = (name: string): Message => ({
  ...{ jobId: `job_${name}`, due: '2026-11-16T12:00:00.000Z', revision: 'r', fireAt: 0, enqueuedAt: 0 },
});

let clock: StandingClock;
let keys: KeyWaiters;
let again: string[];
let hidden: { name: string; ms: number }[];
beforeEach(() => {
  clock = new StandingClock();
  keys = new KeyWaiters({ clock, log: noLog, settings: DEFAULT_SETTINGS });
  again = [];
  hidden = [];
});

/** The message waits for the key, hidden for `ms`. */
async function waits(name: string, ms = 10_000, fails = false, concurrent = 2): Promise<void> {
  const message = messageOf(name);
  const { since } = keys.received(message);
  const received = {
    ...{ message, body: '', receivedAt: 0, delete: async () => {}, deadLetter: async () => {} },
    async setVisibility(forMs: number) {
      if (fails) throw new Error('no such message');
      hidden.push({ name, ms: forMs });
    },
  } satisfies Received;
  await keys.returned({ ...KEY, concurrent }, received, ms, since, () => again.push(name));
}

/** Whether the message may claim, with a limit of `concurrent`. */
const enter = (name: string, concurrent = 2, isWoken = false) =>
  keys.enter({ ...KEY, concurrent }, messageOf(name), isWoken);

test('an end hides one waiting message for a lease, and handles it again', async () => {
  await waits('a');
  await waits('b');
  await keys.ended(slot(), messageOf('ended'));
  expect(again).toEqual(['a']);
  expect(hidden).toEqual([{ name: 'a', ms: DEFAULT_SETTINGS.leaseMs }]);
  expect(keys.received(messageOf('a'))).toMatchObject({ key: KEY, isWoken: true });
  expect(keys.received(messageOf('a')), 'only once').toMatchObject({ isWoken: false });
  expect(keys.received(messageOf('b'))).toMatchObject({ key: KEY, isWoken: false });
});

test('a message that cannot be hidden, or is visible soon, is left to the queue', async () => {
  await waits('gone', 10_000, true);
  await waits('visible soon', 100);
  await waits('c');
  await keys.ended(slot(), messageOf('ended'));
  expect(again).toEqual(['c']);
});

test('an end that found no waiting message for its slot wakes the next one that was received before it', async () => {
  const { since } = keys.received(messageOf('a'));
  await keys.ended(slot(1), messageOf('ended'));
  for (const concurrent of [1, 2, 2]) {
    const received = {
      ...{ message: messageOf(`with ${concurrent}`), body: '', receivedAt: 0 },
      ...{ delete: async () => {}, deadLetter: async () => {}, setVisibility: async () => {} },
    };
    await keys.returned({ ...KEY, concurrent }, received, 10_000, since, () => again.push(`${concurrent}`));
  }
  expect(again).toEqual(['2']);
});

test('an end wakes a message whose job may use its slot', async () => {
  await waits('a', 10_000, false, 1);
  await waits('b', 10_000, false, 2);
  await keys.ended(slot(1), messageOf('ended'));
  expect(again).toEqual(['b']);
});

test('a worker claims and runs at most as many executions of a key as it has slots', () => {
  expect([enter('a'), enter('b'), enter('c')]).toEqual([true, true, false]);
  expect(enter('a'), 'it has entered before').toBe(true);
  keys.leave(KEY, messageOf('a'));
  keys.leave(KEY, messageOf('a'));
  expect([enter('c'), enter('d')]).toEqual([true, false]);
  expect(enter('e', 3), 'a job with a larger limit').toBe(true);
  expect(enter('f', 2), 'the largest limit counts').toBe(false);
});

test('no message claims for a while after a search has found no slot, unless an end has woken it', async () => {
  keys.markFull({ ...KEY, concurrent: 3 }, keys.ends);
  expect([enter('a', 3), enter('b', 3, true)]).toEqual([false, true]);
  await clock.advance(500);
  expect(enter('a', 3)).toBe(true);
});

test('a search says nothing about slots that its job may not use', () => {
  keys.markFull({ ...KEY, concurrent: 1 }, keys.ends);
  expect([enter('a', 1), enter('b', 2)]).toEqual([false, true]);
  keys.markFull({ ...KEY, concurrent: 2 }, keys.ends);
  keys.markFull({ ...KEY, concurrent: 1 }, keys.ends);
  expect([enter('c', 2), enter('d', 3)], 'the search in more slots counts').toEqual([false, true]);
});

test('a search that an end has overtaken does not count', async () => {
  const before = keys.ends;
  await keys.ended(slot(), messageOf('ended'));
  keys.markFull({ ...KEY, concurrent: 2 }, before);
  expect(enter('a')).toBe(true);
});
