import { expect, test } from 'vitest';
import type { Progress } from '../../../src/domain/executions/progress.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { renewLease } from '../../../src/scheduling/running/renew-lease.ts';
import { at, StandingClock } from '../../support/standing-clock.ts';
import { claimedOf, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

async function runningSince(time: string) {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const clock = new StandingClock(at(time));
  const context = { ...world.context, clock };
  const claimed = claimedOf(await claim(context, 'worker', world.message(jobId, at(time))));
  const [task, done] = [new AbortController(), new AbortController()];
  let progress: Progress | undefined;
  const report = (reported: Progress) => {
    progress = reported;
  };
  const renewing = renewLease(context, claimed, task, done.signal, () => progress);
  return { world, clock, jobId, claimed, task, done, renewing, report };
}

test('every heartbeat extends the lease by its full length', async () => {
  const { world, clock, jobId, task, done, renewing } = await runningSince('12:01:00');
  await clock.advance(10_000);
  expect(world.head(jobId).hold?.leaseUntil).toBe(at('12:01:40'));
  done.abort();
  await renewing;
  expect(task.signal.aborted).toBe(false);
});

test('the last progress of the task is in the hold after the next heartbeat', async () => {
  const { world, clock, jobId, done, report } = await runningSince('12:01:00');
  report({ fraction: 0.1, at: at('12:01:01') });
  report({ fraction: 0.2, text: 'page 2', at: at('12:01:02') });
  expect(world.head(jobId).hold?.progress).toBeUndefined();
  await clock.advance(10_000);
  expect(world.head(jobId).hold?.progress).toEqual({ fraction: 0.2, text: 'page 2', at: at('12:01:02') });
  done.abort();
});

test('a cancel request reaches the task with the next heartbeat', async () => {
  const { world, clock, jobId, claimed, task, done } = await runningSince('12:01:00');
  const hold = { ...claimed.hold, cancelRequested: true };
  await world.store.updateHead(world.head(jobId), { hold, stamp: 'cancel' });
  await clock.advance(10_000);
  expect(task.signal.reason).toMatchObject({ why: 'cancelled' });
  done.abort();
});

test('a worker that cannot reach the store stops its task before others may take over', async () => {
  const { world, clock, claimed, task, renewing } = await runningSince('12:01:00');
  world.store.heartbeat = () => Promise.reject(new Error('the store does not answer'));
  await clock.advance(30_000);
  await renewing;
  expect(task.signal.reason).toMatchObject({ why: 'lease lost' });
  expect(clock.now()).toBeLessThanOrEqual(claimed.hold.leaseUntil);
});
