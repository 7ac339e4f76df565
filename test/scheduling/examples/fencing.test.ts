import { expect, test } from 'vitest';
import { asUser } from '../../../src/domain/principal.ts';
import { runNow } from '../../../src/jobs/manual-runs.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { DROP, RETRY } from '../../../src/scheduling/claiming/claim-result.ts';
import { attemptsBegun, cancelOpen } from '../../../src/scheduling/claiming/fencing.ts';
import { finishAttempt } from '../../../src/scheduling/running/finish-attempt.ts';
import { at, claimedOf, EVERY_MINUTE, SUCCEEDED, standingWorld, USER } from '../../support/standing-world.ts';

test('the result of a worker that was taken over is refused', async () => {
  const world = standingWorld();
  const { context } = world;
  const message = world.message(await world.create(EVERY_MINUTE), at('12:01:00'));
  world.now = at('12:01:00');
  const lost = claimedOf(await claim(context, 'lost', message));
  world.now = at('12:02:00');
  const { hold } = claimedOf(await claim(context, 'next', message));
  expect(world.row(message)).toMatchObject({ status: 'RUNNING', fence: hold.token, attempt: 2 });
  expect(attemptsBegun(hold, world.row(message))).toBe(2);

  const times = { receivedAt: at('12:01:00'), startedAt: at('12:01:00') };
  expect(await finishAttempt(context, lost, SUCCEEDED, times)).toBeUndefined();
  expect(world.row(message)).toMatchObject({ status: 'RUNNING', fence: hold.token });
});

test('an open row is cancelled only if nobody has fenced it since it was read', async () => {
  const world = standingWorld();
  const { context } = world;
  const jobId = await world.create({ schedule: { in: 'PT1H' } });
  for (const taken of [false, true]) {
    await runNow(context, asUser(USER), jobId);
    const message = world.sent.at(-1);
    const queued = message && world.row(message);
    if (!queued) throw new Error('the run is not queued');
    if (taken) claimedOf(await claim(context, 'worker', message));
    expect(await cancelOpen(context, queued, 'the job was cancelled')).toEqual(taken ? RETRY : DROP);
    expect(world.row(message)?.status).toBe(taken ? 'RUNNING' : 'CANCELLED');
  }
});
