import { expect, test } from 'vitest';
import { claimExclusive } from '../../../src/scheduling/claiming/claim-exclusive.ts';
import { DROP } from '../../../src/scheduling/claiming/claim-result.ts';
import { at, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

async function aJob(spec: Record<string, unknown>) {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, ...spec });
  const claimAt = (time: string, due: string) => {
    world.now = at(time);
    const found = { head: world.head(jobId), consistent: true, holderRow: undefined, definition: undefined };
    return claimExclusive(world.context, 'worker', world.message(jobId, at(due)), found);
  };
  const rowDue = (due: string) => world.row(world.message(jobId, at(due)));
  return { world, jobId, claimAt, rowDue };
}

test('an occurrence that is due while another runs is skipped, or waits for the end of the other', async () => {
  const [skip, queue] = [await aJob({ overlap: 'skip' }), await aJob({ overlap: 'queue' })];
  for (const { claimAt } of [skip, queue]) {
    expect((await claimAt('12:01:00', '12:01:00')).kind).toBe('run');
    expect(await claimAt('12:02:00', '12:02:00')).toEqual(DROP);
  }
  expect(skip.rowDue('12:02:00')).toMatchObject({
    status: 'SKIPPED',
    reason: 'overlap: the execution due 2026-12-01T12:01:00.000Z was still running',
  });
  expect(queue.rowDue('12:02:00')).toMatchObject({ status: 'WAITING' });
});

test('an execution whose worker is lost is taken over as its next attempt, when the lease has ended', async () => {
  const { world, jobId, claimAt, rowDue } = await aJob({});
  expect((await claimAt('12:01:00', '12:01:00')).kind).toBe('run');
  expect((await claimAt('12:01:30', '12:01:00')).kind).toBe('later');
  expect((await claimAt('12:01:33', '12:01:00')).kind).toBe('run');
  expect(rowDue('12:01:00')).toMatchObject({ status: 'RUNNING', attempt: 2 });
  expect(rowDue('12:01:00')?.fence).toBe(world.head(jobId).hold?.token);
});
