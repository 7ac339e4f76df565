import { expect, test } from 'vitest';
import { dueKey } from '../../../src/domain/executions/ids.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { misfireOf } from '../../../src/scheduling/claiming/misfire.ts';
import { at, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

async function workersAreBackAt(time: string, policy: string) {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, misfire: { policy, graceSeconds: 60 } });
  world.now = at(time);
  const misfire = () => misfireOf(world.context, world.head(jobId), world.message(jobId, at('12:01:00')));
  return { world, jobId, misfire };
}

test('an occurrence within the grace period is no misfire', async () => {
  const { misfire } = await workersAreBackAt('12:02:00', 'skip');
  expect(misfire()).toEqual({ kind: 'none' });
});

test('a missed occurrence is skipped, run, or run for all that were missed', async () => {
  const [skip, runAll] = [
    await workersAreBackAt('12:04:30', 'skip'),
    await workersAreBackAt('12:04:30', 'runAll'),
  ];
  expect(skip.misfire()).toEqual({ kind: 'skip', reason: 'misfire: 210 s late, 60 s allowed' });
  expect(runAll.misfire()).toEqual({ kind: 'none', mustRun: true });

  const { world, jobId, misfire } = await workersAreBackAt('12:04:30', 'runOnce');
  expect(misfire()).toEqual({ kind: 'none', coveredUntil: dueKey(at('12:04:26')) });
  const claimAt = (time: string) => claim(world.context, 'worker', world.message(jobId, at(time)));
  expect(await claimAt('12:01:00')).toMatchObject({ kind: 'run' });
  expect(await claimAt('12:03:00')).toEqual({ kind: 'drop' });
  expect(world.row(world.message(jobId, at('12:03:00')))).toMatchObject({
    status: 'SKIPPED',
    reason: 'misfire: one run stood for all that were missed',
  });
});
