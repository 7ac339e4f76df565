import { expect, test } from 'vitest';
import { asUser } from '../../../src/domain/principal.ts';
import { SearchBudget } from '../../../src/domain/schedule/search-budget.ts';
import { pauseJob } from '../../../src/jobs/pause-job.ts';
import { isPlanned, planUntil, writerHorizon } from '../../../src/scheduling/planning/plan.ts';
import { at, EVERY_MINUTE, standingWorld, USER } from '../../support/standing-world.ts';

test('a plan holds the occurrences up to its end, and the first one after it', async () => {
  const world = standingWorld();
  const { schedule } = world.head(await world.create(EVERY_MINUTE));
  expect(await planUntil(new SearchBudget(), schedule, at('12:00:00'), at('12:03:00'))).toEqual({
    inside: [at('12:01:00'), at('12:02:00'), at('12:03:00')],
    beyond: at('12:04:00'),
  });
});

test('a create sends the messages up to the horizon of a writer, which is later than the look-ahead', async () => {
  const world = standingWorld();
  await world.create(EVERY_MINUTE);
  const horizon = writerHorizon(world.context.settings, at('12:00:00'));
  expect(horizon).toBe(at('12:07:00'));
  expect(world.sent.at(-1)?.fireAt).toBe(horizon);
});

test('a pause withdraws the occurrences to come', async () => {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const { due } = world.message(jobId, at('12:02:00'));
  expect(await isPlanned(world.context, world.head(jobId), due)).toBe(true);
  await pauseJob(world.context, asUser(USER), jobId);
  expect(await isPlanned(world.context, world.head(jobId), due)).toBe(false);
});
