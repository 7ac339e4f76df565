import { expect, test } from 'vitest';
import { MANUAL } from '../../../src/domain/executions/ids.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { isOrdinaryClaim } from '../../../src/scheduling/claiming/ordinary-claim.ts';
import { at, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

test('the first claim in time is ordinary; a manual run, a late message and a duplicate are not', async () => {
  const world = standingWorld();
  const { context } = world;
  const jobId = await world.create(EVERY_MINUTE);
  const message = world.message(jobId, at('12:01:00'));
  const isOrdinary = (given = message) => isOrdinaryClaim(context, given, world.head(jobId), undefined);

  world.now = at('12:01:00');
  expect(isOrdinary()).toBe(true);
  expect(isOrdinary({ ...message, revision: MANUAL })).toBe(false);
  expect(isOrdinary({ ...message, revision: 'of the schedule before an edit' })).toBe(false);

  world.now = at('12:03:00');
  expect(isOrdinary()).toBe(false);

  world.now = at('12:01:00');
  await claim(context, 'worker', message);
  expect(isOrdinary()).toBe(false);
});
