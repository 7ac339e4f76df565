import { expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { misfireOf } from '../../../src/scheduling/claiming/misfire.ts';
import { at, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

async function workersAreBackAt(time: string, policy: string, overlap = 'skip') {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, overlap, misfire: { policy, graceSeconds: 60 } });
  world.now = at(time);
  const message = world.message(jobId, at('12:01:00'));
  const facts = { now: world.now, clockSkewMs: world.context.settings.clockSkewMs, message, row: undefined };
  const misfire = () => misfireOf(facts, world.head(jobId), message.due);
  return { world, jobId, misfire };
}

test('an occurrence within the grace period is no misfire', async () => {
  const { misfire } = await workersAreBackAt('12:02:00', 'skip');
  expect(misfire()).toEqual({ queues: false, cover: undefined });
});

test('a missed occurrence is skipped, stands in line, or runs for all that were missed', async () => {
  const skip = await workersAreBackAt('12:04:30', 'skip');
  expect(skip.misfire().skips).toBe('misfire: 210 s late, 60 s allowed');
  const runAll = await workersAreBackAt('12:04:30', 'runAll');
  expect(runAll.misfire()).toEqual({ queues: true, cover: undefined });
  // executions of such a job need not wait for each other
  const beside = await workersAreBackAt('12:04:30', 'runAll', 'allow');
  expect(beside.misfire().queues).toBe(false);

  const { world, jobId, misfire } = await workersAreBackAt('12:04:30', 'runOnce');
  expect(misfire()).toEqual({ queues: false, cover: dueKey(at('12:04:26')) });
  const claimAt = (time: string) => claim(world.context, 'worker', world.message(jobId, at(time)));
  expect(await claimAt('12:01:00')).toMatchObject({ kind: 'run' });
  expect(await claimAt('12:03:00')).toEqual({ kind: 'drop' });
  expect(world.row(world.message(jobId, at('12:03:00')))).toMatchObject({
    status: 'SKIPPED',
    reason: 'misfire: one run stood for all that were missed',
  });
});
