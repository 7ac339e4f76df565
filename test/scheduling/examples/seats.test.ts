import { expect, test } from 'vitest';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { findSeat, keyLimitOf } from '../../../src/scheduling/claiming/seats.ts';
import { finishAttempt } from '../../../src/scheduling/running/finish-attempt.ts';
import { at, claimedOf, EVERY_MINUTE, SUCCEEDED, standingWorld } from '../../support/standing-world.ts';
import { beforeNext } from '../../support/store-faults.ts';

/** Two jobs of one owner whose executions need a seat of the same key. */
async function twoJobs(concurrent: number) {
  const world = standingWorld();
  const limit = { key: 'db', concurrent };
  const spec = { ...EVERY_MINUTE, limit, retry: { maxAttempts: 3 } };
  const jobs = [await world.create(spec), await world.create(spec)] as const;
  world.now = at('12:01:00');
  const claimOf = (jobId: string) => claim(world.context, 'worker', world.message(jobId, at('12:01:00')));
  const name = keyLimitOf(world.head(jobs[0]));
  if (!name) throw new Error('the job has no key');
  const free = () => findSeat(world.context, name, { consistent: true });
  return { world, jobs, claimOf, free, name };
}

const times = { receivedAt: at('12:01:00'), startedAt: at('12:01:00') };

test('an execution that finds no seat waits, and its row stays as it is', async () => {
  const { world, jobs, claimOf, free } = await twoJobs(1);
  const [first, second] = jobs;
  const claimed = claimedOf(await claimOf(first));
  expect(await free()).toBeUndefined();
  expect(await claimOf(second)).toMatchObject({ kind: 'later', waitsFor: { key: 'db', concurrent: 1 } });
  expect(world.row(world.message(second, at('12:01:00')))).toBeUndefined();

  // nobody gives a seat back: the end of the row frees it
  await finishAttempt(world.context, claimed, SUCCEEDED, times);
  expect(await free()).toMatchObject({ n: 0, seen: { jobId: first } });
  expect(claimedOf(await claimOf(second)).limit).toMatchObject({ key: 'db' });
});

test('two claims that want the last seat get it one after the other', async () => {
  const { world, jobs, claimOf, name } = await twoJobs(1);
  const [first, second] = jobs;
  beforeNext(world.store, 'writeSeat', () => claimOf(second).then(claimedOf));
  expect(await claimOf(first)).toMatchObject({ kind: 'later' });
  expect(world.row(world.message(first, at('12:01:00')))).toMatchObject({ status: 'QUEUED', attempt: 0 });
  expect(await world.store.readSeats(name, { consistent: true })).toMatchObject([{ n: 0, jobId: second }]);
});

test('the seat of a lost worker is free when its lease is over by every clock', async () => {
  const { world, jobs, claimOf, free } = await twoJobs(1);
  claimedOf(await claimOf(jobs[0]));
  const { leaseMs, clockSkewMs } = world.context.settings;
  world.now += leaseMs + clockSkewMs;
  expect(await free()).toBeUndefined();
  world.now += 1;
  claimedOf(await claimOf(jobs[1]));
  // the lost execution waits like any other
  expect(await claimOf(jobs[0])).toMatchObject({ kind: 'later' });
});
