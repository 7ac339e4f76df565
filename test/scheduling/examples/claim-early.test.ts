import { expect, test } from 'vitest';
import { claim, prepare } from '../../../src/scheduling/claiming/claim.ts';
import { claimEarly, withdrawHold } from '../../../src/scheduling/claiming/claim-early.ts';
import { at, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

async function justBeforeItsTime(spec = {}) {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, ...spec });
  const message = world.message(jobId, at('12:01:00'));
  world.now = at('12:00:59.700');
  const prepared = await prepare(world.context, message);
  if (!prepared) throw new Error('there is no job');
  const claimAs = (workerId: string) => claimEarly(world.context, workerId, message, prepared);
  return { world, jobId, message, claimAs };
}

test('a worker holds the job before its fire time, and no other worker gets it', async () => {
  const { world, jobId, message, claimAs } = await justBeforeItsTime();
  expect(await claimAs('first')).toBeDefined();
  expect(await claimAs('second')).toBeUndefined();
  world.now = at('12:01:00');
  expect(await claim(world.context, 'second', message)).toMatchObject({ kind: 'later' });
  expect(world.head(jobId).hold).toMatchObject({ workerId: 'first', startedAt: at('12:01:00') });
});

test('a job with a single attempt is not claimed early, because nobody could tell whether it had started', async () => {
  const { claimAs } = await justBeforeItsTime({ retry: { maxAttempts: 1 } });
  expect(await claimAs('first')).toBeUndefined();
});

test('a withdrawal marks a hold that may not have started, so that a takeover does not start it', async () => {
  const { world, jobId, claimAs } = await justBeforeItsTime();
  await claimAs('first');
  expect(withdrawHold(world.context, world.head(jobId))).toMatchObject({ hold: { withdrawn: true } });
  world.now = at('12:01:00') + world.context.settings.clockSkewMs;
  expect(withdrawHold(world.context, world.head(jobId))).toEqual({});
});
