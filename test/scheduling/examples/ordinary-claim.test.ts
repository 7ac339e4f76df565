import { expect, test } from 'vitest';
import { MANUAL } from '../../../src/domain/executions/ids.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { isOrdinaryClaim } from '../../../src/scheduling/claiming/ordinary-claim.ts';
import { finishAttempt } from '../../../src/scheduling/running/finish-attempt.ts';
import { at, claimedOf, EVERY_MINUTE, SUCCEEDED, standingWorld } from '../../support/standing-world.ts';

async function aJob() {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const message = world.message(jobId, at('12:01:00'));
  const isOrdinary = (given = message) =>
    isOrdinaryClaim(world.context, given, world.head(jobId), world.row(message));
  return { world, jobId, message, isOrdinary };
}

test('the first claim in time is ordinary; a manual run, a late message and one of an old schedule are not', async () => {
  const { world, message, isOrdinary } = await aJob();
  world.now = at('12:01:00');
  expect(isOrdinary()).toBe(true);
  expect(isOrdinary({ ...message, revision: MANUAL })).toBe(false);
  expect(isOrdinary({ ...message, revision: 'of the schedule before an edit' })).toBe(false);
  world.now = at('12:03:00');
  expect(isOrdinary()).toBe(false);
});

test('while an execution runs no claim is ordinary; after its end that of the next occurrence is', async () => {
  const { world, jobId, message, isOrdinary } = await aJob();
  const next = world.message(jobId, at('12:02:00'));
  world.now = at('12:01:00');
  const claimed = claimedOf(await claim(world.context, 'worker', message));
  expect([isOrdinary(), isOrdinary(next)]).toEqual([false, false]);

  await finishAttempt(world.context, claimed, SUCCEEDED, { receivedAt: world.now, startedAt: world.now });
  world.now = at('12:02:00');
  expect([isOrdinary(), isOrdinary(next)]).toEqual([false, true]);
});
