import { expect, test } from 'vitest';
import { keepHidden } from '../../../src/scheduling/running/message-visibility.ts';
import { receivedMessage } from '../../support/received-message.ts';
import { StandingClock } from '../../support/standing-clock.ts';
import { standingWorld } from '../../support/standing-world.ts';

function received() {
  const clock = new StandingClock();
  const context = { ...standingWorld().context, clock };
  const queue = { hiddenAt: [] as number[], isDown: false };
  const message = {
    ...receivedMessage(undefined),
    setVisibility: async () => {
      if (queue.isDown) throw new Error('the queue does not answer');
      queue.hiddenAt.push(clock.monotonic());
    },
  };
  return { clock, queue, hidden: keepHidden(context, message) };
}

test('a message is hidden again with every heartbeat, until it is released', async () => {
  const { clock, queue, hidden } = received();
  await clock.advance(35_000);
  expect(queue.hiddenAt).toEqual([10_000, 20_000, 30_000]);
  expect(hidden.mayBeRedelivered()).toBe(false);
  await hidden.release();
  await clock.advance(35_000);
  expect(queue.hiddenAt).toHaveLength(3);
});

test('a message that could not be hidden for the length of a lease may be redelivered, for good', async () => {
  const { clock, queue, hidden } = received();
  queue.isDown = true;
  await clock.advance(27_999);
  expect(hidden.mayBeRedelivered()).toBe(false);
  await clock.advance(1);
  expect(hidden.mayBeRedelivered()).toBe(true);
  queue.isDown = false;
  await clock.advance(20_000);
  expect(hidden.mayBeRedelivered()).toBe(true);
  await hidden.release();
});
