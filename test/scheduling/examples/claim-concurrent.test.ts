import { expect, test } from 'vitest';
import { asUser } from '../../../src/domain/principal.ts';
import { pauseJob } from '../../../src/jobs/pause-job.ts';
import { claimConcurrent } from '../../../src/scheduling/claiming/claim-concurrent.ts';
import { DROP } from '../../../src/scheduling/claiming/claim-result.ts';
import { at, EVERY_MINUTE, standingWorld, USER } from '../../support/standing-world.ts';
import { beforeNext } from '../../support/store-faults.ts';

async function concurrentJob() {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, overlap: 'allow' });
  const claimAt = (time: string, workerId: string) => {
    world.now = at('12:02:00');
    const message = world.message(jobId, at(time));
    return claimConcurrent(world.context, workerId, message, world.head(jobId), undefined);
  };
  return { world, jobId, claimAt };
}

test('two occurrences run at once, each by one worker', async () => {
  const { world, jobId, claimAt } = await concurrentJob();
  expect((await claimAt('12:01:00', 'first')).kind).toBe('run');
  expect((await claimAt('12:02:00', 'second')).kind).toBe('run');
  expect((await claimAt('12:02:00', 'third')).kind).toBe('later');
  const holders = (await world.store.listHoldItems(jobId)).map(({ hold }) => hold.workerId);
  expect(holders.toSorted()).toEqual(['first', 'second']);
});

test('a pause that comes between the read of the head and the insert of the hold is seen', async () => {
  const { world, jobId, claimAt } = await concurrentJob();
  beforeNext(world.store, 'insertHoldItem', () => pauseJob(world.context, asUser(USER), jobId));
  expect(await claimAt('12:02:00', 'first')).toEqual(DROP);
  expect(await world.store.listHoldItems(jobId)).toEqual([]);
});
