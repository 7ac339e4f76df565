import { expect, test } from 'vitest';
import type { Message } from '../../../src/queue/queue.ts';
import { KeyLines } from '../../../src/scheduling/running/key-lines.ts';
import { aMessage } from '../../support/fixtures.ts';
import { receivedMessage } from '../../support/received-message.ts';
import { standingWorld } from '../../support/standing-world.ts';

const LIMIT = { owner: 'o', key: 'db', concurrent: 2 };

function lines() {
  const world = standingWorld();
  const random = { ...world.context.random, float: () => 0.5 };
  const keys = new KeyLines({ ...world.context, random });
  const again: Message[] = [];
  const waits = (message: Message, forMs: number) => {
    const received = receivedMessage(message);
    const at = keys.wait(LIMIT, received, world.now + forMs, () => void again.push(message));
    return { received, at };
  };
  return { world, keys, again, waits };
}

test('a worker claims at most as many executions of a key as it has seats', async () => {
  const { keys } = lines();
  const [one, two, three] = [aMessage(), aMessage(), aMessage()];
  expect([keys.enter(LIMIT, one), keys.enter(LIMIT, two), keys.enter(LIMIT, three)]).toEqual([
    true,
    true,
    false,
  ]);
  expect(keys.enter({ ...LIMIT, key: 'other' }, three)).toBe(true);
  await keys.leave(LIMIT, one, true);
  expect(keys.enter(LIMIT, three)).toBe(true);
});

test('after a search has found no seat none follows for a while, unless an execution has ended', async () => {
  const { world, keys } = lines();
  const [one, two] = [aMessage(), aMessage()];
  keys.enter(LIMIT, one);
  keys.full(LIMIT);
  expect(keys.enter(LIMIT, two)).toBe(false);
  world.now += 500;
  expect(keys.enter(LIMIT, two)).toBe(true);
  await keys.leave(LIMIT, two, false);

  keys.full(LIMIT);
  expect(keys.enter(LIMIT, two)).toBe(false);
  await keys.leave(LIMIT, one, true);
  expect(keys.enter(LIMIT, two)).toBe(true);
});

test('an end hides the first message in line for a lease, and handles it again', async () => {
  const { world, keys, again, waits } = lines();
  const [running, first, second] = [aMessage(), aMessage(), aMessage()];
  keys.enter(LIMIT, running);
  const { received } = waits(first, 1_000);
  waits(second, 1_000);
  await keys.leave(LIMIT, running, true);
  expect(again).toEqual([first]);
  expect(received.fate).toEqual([`hidden ${world.context.settings.leaseMs}`]);
});

test('a message that is visible soon, or cannot be hidden, is left to the queue', async () => {
  const { keys, again, waits } = lines();
  const [running, soon, stuck, next] = [aMessage(), aMessage(), aMessage(), aMessage()];
  keys.enter(LIMIT, running);
  waits(soon, 200);
  const { received } = waits(stuck, 1_000);
  received.setVisibility = () => Promise.reject(new Error('the receipt has expired'));
  waits(next, 1_000);
  await keys.leave(LIMIT, running, true);
  expect(again).toEqual([next]);
});

test('the more messages wait, the later each one searches again', () => {
  const { world, waits } = lines();
  const waited = Array.from({ length: 200 }, () => waits(aMessage(), 500).at - world.now);
  expect(waited.slice(0, 5)).toEqual([500, 500, 500, 600, 800]);
  expect(waited.at(-1)).toBe(30_000);
});
