import { expect, test } from 'vitest';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { DROP } from '../../../src/scheduling/claiming/claim-result.ts';
import { finishAttempt } from '../../../src/scheduling/running/finish-attempt.ts';
import { at, claimedOf, EVERY_MINUTE, SUCCEEDED, standingWorld } from '../../support/standing-world.ts';

test('a message is run by one worker, held back while that one runs, and dropped after the end', async () => {
  const world = standingWorld();
  const { context } = world;
  const message = world.message(await world.create(EVERY_MINUTE), at('12:01:00'));
  world.now = at('12:01:00');

  const running = await claim(context, 'first', message);
  expect(running.kind).toBe('run');
  expect((await claim(context, 'second', message)).kind).toBe('later');

  world.now = at('12:01:05');
  const times = { receivedAt: at('12:01:00'), startedAt: at('12:01:00') };
  await finishAttempt(context, claimedOf(running), SUCCEEDED, times);
  expect(await claim(context, 'second', message)).toEqual(DROP);
});
