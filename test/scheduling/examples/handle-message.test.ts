import { expect, test } from 'vitest';
import { z } from 'zod';
import { handleMessage } from '../../../src/scheduling/running/handle-message.ts';
import { defineTask } from '../../../src/tasks/task.ts';
import { receivedMessage } from '../../support/received-message.ts';
import { at, StandingClock } from '../../support/standing-clock.ts';
import { EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';
import { workerPort } from '../../support/worker-port.ts';

async function receivedAt(time: string) {
  const world = standingWorld();
  const message = world.message(await world.create(EVERY_MINUTE), at('12:01:00'));
  const clock = new StandingClock(at(time));
  const starts: number[] = [];
  const run = async () => void starts.push(clock.now());
  const noop = defineTask({ name: 'noop', description: '', params: z.unknown(), run });
  const worker = (workerId: string) => workerPort(new Map([['noop', noop]]), {}, { workerId });
  const deliverTo = (workerId: string) => {
    const received = receivedMessage(message);
    void handleMessage({ ...world.context, clock }, worker(workerId), received);
    return received;
  };
  return { world, clock, message, starts, deliverTo };
}

test('a message is held until its fire time, run at that millisecond, and deleted', async () => {
  const { world, clock, message, starts, deliverTo } = await receivedAt('12:00:30');
  const { fate } = deliverTo('worker');
  await clock.advance(29_999);
  expect([starts, fate.includes('deleted')]).toEqual([[], false]);
  await clock.advance(10);
  expect(starts).toEqual([at('12:01:00')]);
  expect(fate.at(-1)).toBe('deleted');
  expect(world.row(message)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
});

test('a message that two workers have received is run once', async () => {
  const { clock, starts, deliverTo } = await receivedAt('12:00:30');
  deliverTo('first');
  deliverTo('second');
  await clock.advance(120_000);
  expect(starts).toEqual([at('12:01:00')]);
});

test('a message that is due later than a worker holds messages goes back to the queue', async () => {
  const { clock, deliverTo } = await receivedAt('12:00:00');
  const { fate } = deliverTo('worker');
  await clock.advance(1);
  expect(fate).toEqual(['hidden 37500']);
});
