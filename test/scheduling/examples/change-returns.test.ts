import { expect, test } from 'vitest';
import { awaitEarlyStart, CHANGE_RETURNS_AFTER_MS } from '../../../src/scheduling/claiming/change-returns.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { finishAttempt } from '../../../src/scheduling/running/finish-attempt.ts';
import { at, claimedOf, EVERY_MINUTE, SUCCEEDED, standingWorld } from '../../support/standing-world.ts';

test('a change of a job that is held returns when the holder must have started, and at once after its end', async () => {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const waits: number[] = [];
  const clock = { ...world.context.clock, sleep: async (ms: number) => void waits.push(ms) };
  const change = () => awaitEarlyStart({ ...world.context, clock }, world.head(jobId));
  await change();
  expect(waits).toEqual([]);

  world.now = at('12:01:00');
  const claimed = claimedOf(await claim(world.context, 'worker', world.message(jobId, world.now)));
  await change();
  expect(waits).toEqual([CHANGE_RETURNS_AFTER_MS]);

  await finishAttempt(world.context, claimed, SUCCEEDED, { receivedAt: world.now, startedAt: world.now });
  await change();
  expect(waits).toHaveLength(1);
});
