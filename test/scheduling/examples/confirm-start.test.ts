import { expect, test } from 'vitest';
import { asUser } from '../../../src/domain/principal.ts';
import { cancelJob } from '../../../src/jobs/cancel-job.ts';
import { CHANGE_RETURNS_AFTER_MS } from '../../../src/scheduling/claiming/change-returns.ts';
import { claim, prepare } from '../../../src/scheduling/claiming/claim.ts';
import { claimEarly } from '../../../src/scheduling/claiming/claim-early.ts';
import { DROP } from '../../../src/scheduling/claiming/claim-result.ts';
import { confirmStart, undoClaim } from '../../../src/scheduling/claiming/confirm-start.ts';
import { at, EVERY_MINUTE, standingWorld, USER } from '../../support/standing-world.ts';

async function claimedEarly() {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const message = world.message(jobId, at('12:01:00'));
  world.now = at('12:00:59.700');
  const prepared = await prepare(world.context, message);
  const acquired = prepared && (await claimEarly(world.context, 'worker', message, prepared));
  if (!acquired) throw new Error('the job was not claimed early');
  return { world, jobId, message, acquired };
}

test('an early claim starts at its time without another read', async () => {
  const { world, acquired } = await claimedEarly();
  world.now = at('12:01:00');
  world.store.readHead = () => Promise.reject(new Error('no read was expected'));
  expect(await confirmStart(world.context, acquired, undefined)).toMatchObject({ kind: 'run' });
});

test('a job that was cancelled since the claim does not start', async () => {
  const { world, jobId, message, acquired } = await claimedEarly();
  await cancelJob(world.context, asUser(USER), jobId);
  world.now += CHANGE_RETURNS_AFTER_MS;
  expect(await confirmStart(world.context, acquired, undefined)).toEqual(DROP);
  expect(world.row(message)).toMatchObject({ status: 'CANCELLED', reason: 'cancelled before it started' });
});

test('a claim that is undone is free for another worker at once, as the first attempt', async () => {
  const { world, message, acquired } = await claimedEarly();
  await undoClaim(world.context, acquired);
  world.now = at('12:01:00');
  const next = await claim(world.context, 'another', message);
  expect(next).toMatchObject({ kind: 'run', claimed: { hold: { workerId: 'another', attempt: 1 } } });
});
