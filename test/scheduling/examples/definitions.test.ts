import { expect, test } from 'vitest';
import { asUser } from '../../../src/domain/principal.ts';
import { editJob } from '../../../src/jobs/edit-job.ts';
import { definitionOf, writeDefinition } from '../../../src/scheduling/records/definitions.ts';
import { EVERY_MINUTE, standingWorld, USER } from '../../support/standing-world.ts';

test('an edit that loses the race for the head has not overwritten the definition of the winner', async () => {
  const world = standingWorld();
  const { context } = world;
  const jobId = await world.create({ ...EVERY_MINUTE, params: { durationMs: 1 } });
  await editJob(context, asUser(USER), jobId, { params: { durationMs: 2 } });
  const { version } = world.head(jobId);

  await writeDefinition(context, jobId, version, { params: { durationMs: 3 }, notify: [] }, undefined);
  expect((await definitionOf(context, world.head(jobId))).params).toEqual({ durationMs: 2 });
});

test('the small definition of a one-time job is a part of its head, that of a recurring job is an item', async () => {
  const world = standingWorld();
  const once = world.head(await world.create({ schedule: { in: 'PT1M' } }));
  const recurring = world.head(await world.create(EVERY_MINUTE));
  const read = ({ jobId, definition }: typeof once) => world.store.readDefinition(jobId, definition);
  expect([once.inline, await read(once)]).toEqual([{ params: {}, notify: [] }, undefined]);
  expect([recurring.inline, await read(recurring)]).toMatchObject([undefined, { params: {} }]);
});
