import { expect, test } from 'vitest';
import { MANUAL } from '../../../src/domain/executions/ids.ts';
import { asUser } from '../../../src/domain/principal.ts';
import { editJob } from '../../../src/jobs/edit-job.ts';
import {
  effectiveMessage,
  isCurrent,
  isPlannedAgain,
} from '../../../src/scheduling/claiming/occurrence-validity.ts';
import { newRow } from '../../../src/scheduling/records/write-row.ts';
import { at, EVERY_MINUTE, standingWorld, USER } from '../../support/standing-world.ts';

test('an edit of the schedule withdraws the occurrences of the old one, unless the new one has them too', async () => {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const [odd, even] = [world.message(jobId, at('12:01:00')), world.message(jobId, at('12:02:00'))];
  expect(isCurrent(world.head(jobId), odd)).toBe(true);

  const schedule = { every: 'PT2M', startAt: '2026-12-01T12:02:00Z' };
  await editJob(world.context, asUser(USER), jobId, { schedule });
  expect(isCurrent(world.head(jobId), odd)).toBe(false);
  expect(await isPlannedAgain(world.context, world.head(jobId), odd)).toBe(false);
  expect(await isPlannedAgain(world.context, world.head(jobId), even)).toBe(true);
});

test('a late message of the old schedule does not end a run that a person started at the same due time', async () => {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const late = world.message(jobId, at('12:01:00'));
  const backfilled = newRow(world.head(jobId), late.due, MANUAL, 'QUEUED');
  expect(effectiveMessage(world.head(jobId), late, backfilled).revision).toBe(MANUAL);
});
