import { expect, test } from 'vitest';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { requestCancel, requestCancelOfAll } from '../../../src/scheduling/claiming/request-cancel.ts';
import { at, claimedOf, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';
import { beforeNext } from '../../support/store-faults.ts';

async function twoConcurrentRuns() {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, overlap: 'allow' });
  const runs = [];
  for (const time of ['12:01:00', '12:02:00']) {
    world.now = at(time);
    runs.push(claimedOf(await claim(world.context, 'worker', world.message(jobId, world.now))));
  }
  const [first, second] = runs;
  if (!first || !second) throw new Error('two runs were expected');
  const holdOf = async (due: string) => (await world.store.readHoldItem(jobId, due))?.hold;
  return { world, jobId, first, second, holdOf };
}

test('a cancel request that meets a heartbeat is written after it', async () => {
  const { world, jobId, first, holdOf } = await twoConcurrentRuns();
  const { token, due } = first.hold;
  beforeNext(world.store, 'updateHoldItem', () =>
    world.store.heartbeat(jobId, { due }, token, at('12:03:00'), 'heartbeat'),
  );
  expect(await requestCancel(world.context, jobId, due)).toMatchObject({ cancelRequested: true });
  expect(await holdOf(due)).toMatchObject({ cancelRequested: true, leaseUntil: at('12:03:00') });
});

test('a cancel of the job is requested of every run whose lease has not ended', async () => {
  const { world, jobId, first, second, holdOf } = await twoConcurrentRuns();
  await requestCancelOfAll(world.context, world.head(jobId));
  expect(await holdOf(first.hold.due)).toMatchObject({ cancelRequested: false });
  expect(await holdOf(second.hold.due)).toMatchObject({ cancelRequested: true });
});
