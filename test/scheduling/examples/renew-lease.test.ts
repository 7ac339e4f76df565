import { expect, test } from 'vitest';
import type { Progress } from '../../../src/domain/executions/progress.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { renewLease } from '../../../src/scheduling/running/renew-lease.ts';
import { at, StandingClock } from '../../support/standing-clock.ts';
import { claimedOf, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

async function runningSince(time: string) {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const message = world.message(jobId, at(time));
  const clock = new StandingClock(at(time));
  const context = { ...world.context, clock };
  const claimed = claimedOf(await claim(context, 'worker', message));
  const [task, done] = [new AbortController(), new AbortController()];
  let progress: Progress | undefined;
  const report = (reported: Progress) => {
    progress = reported;
  };
  const renewing = renewLease(context, claimed, task, done.signal, () => progress);
  const row = () => world.row(message);
  return { world, clock, row, claimed, task, done, renewing, report };
}

test('every heartbeat extends the lease by its full length', async () => {
  const { clock, row, task, done, renewing } = await runningSince('12:01:00');
  await clock.advance(10_000);
  expect(row()?.leaseUntil).toBe(at('12:01:40'));
  done.abort();
  await renewing;
  expect(task.signal.aborted).toBe(false);
});

test('the last progress of the task is in the row after the next heartbeat', async () => {
  const { clock, row, done, report } = await runningSince('12:01:00');
  report({ fraction: 0.1, at: at('12:01:01') });
  report({ fraction: 0.2, text: 'page 2', at: at('12:01:02') });
  expect(row()?.progress).toBeUndefined();
  await clock.advance(10_000);
  expect(row()?.progress).toEqual({ fraction: 0.2, text: 'page 2', at: at('12:01:02') });
  done.abort();
});

test('a cancel request reaches the task with the next heartbeat', async () => {
  const { world, clock, claimed, task, done } = await runningSince('12:01:00');
  await world.store.requestCancel(claimed.row, claimed.row.number);
  await clock.advance(10_000);
  expect(task.signal.reason).toMatchObject({ why: 'cancelled' });
  done.abort();
});

test('a worker that cannot reach the store stops its task before others may take over', async () => {
  const { world, clock, claimed, task, renewing } = await runningSince('12:01:00');
  world.store.extendLease = () => Promise.reject(new Error('the store does not answer'));
  await clock.advance(30_000);
  await renewing;
  expect(task.signal.reason).toMatchObject({ why: 'lease lost' });
  expect(clock.now()).toBeLessThanOrEqual(claimed.row.leaseUntil ?? 0);
});
