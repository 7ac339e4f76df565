import { expect, test } from 'vitest';
import { asUser } from '../../../src/domain/principal.ts';
import { editJob } from '../../../src/jobs/edit-job.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { completeOneTimeJob } from '../../../src/scheduling/running/after-execution.ts';
import { finishAttempt } from '../../../src/scheduling/running/finish-attempt.ts';
import { at, claimedOf, EVERY_MINUTE, SUCCEEDED, standingWorld, USER } from '../../support/standing-world.ts';

test('the end of an execution wakes the oldest one that waits', async () => {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, overlap: 'queue' });
  const [first, second, third] = ['12:01:00', '12:02:00', '12:03:00'].map((t) => world.message(jobId, at(t)));
  if (!first || !second || !third) throw new Error('three messages were expected');
  world.now = at('12:01:00');
  const claimed = claimedOf(await claim(world.context, 'worker', first));
  world.now = at('12:03:00');
  for (const next of [third, second]) expect((await claim(world.context, 'worker', next)).kind).toBe('later');
  world.sent.length = 0;

  const times = { receivedAt: at('12:01:00'), startedAt: at('12:01:00') };
  await finishAttempt(world.context, claimed, SUCCEEDED, times);
  expect(world.sent).toMatchObject([{ jobId, due: second.due }]);
});

test('the end of a one-time job completes it, unless an edit has planned it again', async () => {
  const world = standingWorld();
  const { context } = world;
  const once = { schedule: { at: '2026-12-01T12:01:00Z' } };
  const [kept, edited] = [await world.create(once), await world.create(once)];
  const before = { kept: world.head(kept), edited: world.head(edited) };
  await editJob(context, asUser(USER), edited, { schedule: { at: '2026-12-01T13:00:00Z' } });

  for (const head of [before.kept, before.edited])
    await completeOneTimeJob(context, head, head.revision, 'SUCCEEDED');
  expect([world.head(kept).status, world.head(edited).status]).toEqual(['completed', 'active']);
});
