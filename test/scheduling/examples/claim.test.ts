import { expect, test } from 'vitest';
import { claim, giveBack } from '../../../src/scheduling/claiming/claim.ts';
import { finishAttempt } from '../../../src/scheduling/running/finish-attempt.ts';
import { at, claimedOf, EVERY_MINUTE, SUCCEEDED, standingWorld } from '../../support/standing-world.ts';
import { beforeNext, loseResponse } from '../../support/store-faults.ts';

async function aJob(spec: Record<string, unknown> = {}) {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, ...spec });
  const claimAt = (time: string, due = time, workerId = 'worker') => {
    world.now = at(time);
    return claim(world.context, workerId, world.message(jobId, at(due)));
  };
  const rowDue = (due: string) => world.row(world.message(jobId, at(due)));
  return { world, context: world.context, jobId, claimAt, rowDue };
}

test('a claim opens the row, and the lock of the job names it', async () => {
  const { world, jobId, claimAt, rowDue } = await aJob();
  const { row } = claimedOf(await claimAt('12:01:00'));
  expect(rowDue('12:01:00')).toMatchObject({ status: 'RUNNING', attempt: 1, leaseUntil: at('12:01:30') });
  expect(world.head(jobId).lock).toEqual({ due: row.due, number: row.number });
});

test('of two workers with the same message one runs, and the other comes back when the lease has ended', async () => {
  const { context, claimAt, rowDue } = await aJob();
  const first = claimedOf(await claimAt('12:01:00', '12:01:00', 'first')).row;
  const { leaseMs, clockSkewMs } = context.settings;
  const overAt = at('12:01:00') + leaseMs + clockSkewMs + 1;
  expect(await claimAt('12:01:00', '12:01:00', 'second')).toEqual({ kind: 'later', at: overAt });

  expect(await claimAt('12:01:32', '12:01:00', 'second')).toEqual({ kind: 'later', at: overAt });
  const second = claimedOf(await claimAt('12:01:33', '12:01:00', 'second')).row;
  expect(second).toMatchObject({ workerId: 'second', attempt: 2 });
  expect(second.number).toBeGreaterThan(first.number);
  expect(rowDue('12:01:00')).toEqual(second);
});

test('an occurrence that is due while another runs is skipped, or waits for the end of the other', async () => {
  const [skip, queue] = [await aJob({ overlap: 'skip' }), await aJob({ overlap: 'queue' })];
  for (const { claimAt, world } of [skip, queue]) {
    const { row } = claimedOf(await claimAt('12:01:00'));
    await world.store.extendLease(row, row.number, at('12:02:30'), undefined);
  }
  expect(await skip.claimAt('12:02:00')).toEqual({ kind: 'drop' });
  expect(skip.rowDue('12:02:00')).toMatchObject({
    status: 'SKIPPED',
    reason: 'overlap: the execution due 2026-12-01T12:01:00.000Z was still running',
  });
  expect(await queue.claimAt('12:02:00')).toEqual({ kind: 'later', at: at('12:02:01') });
  expect(queue.rowDue('12:02:00')).toMatchObject({ status: 'QUEUED', attempt: 0 });
});

test('a message is dropped after the end of its execution, and the next occurrence runs', async () => {
  const { context, claimAt } = await aJob();
  const claimed = claimedOf(await claimAt('12:01:00'));
  const times = { receivedAt: at('12:01:00'), startedAt: at('12:01:00') };
  await finishAttempt(context, claimed, SUCCEEDED, times);
  expect(await claimAt('12:01:05', '12:01:00')).toEqual({ kind: 'drop' });
  claimedOf(await claimAt('12:02:00'));
});

test('a claim whose response was lost runs', async () => {
  const { world, claimAt } = await aJob();
  loseResponse(world.store, 'takeLock');
  claimedOf(await claimAt('12:01:00'));
});

test('a worker that gets the row and not the lock gives the row back', async () => {
  const { world, context, jobId, claimAt, rowDue } = await aJob({ overlap: 'queue' });
  beforeNext(world.store, 'takeLock', () =>
    claim(context, 'other', world.message(jobId, at('12:02:00'))).then(claimedOf),
  );
  expect(await claimAt('12:02:00', '12:01:00')).toMatchObject({ kind: 'later' });
  expect(rowDue('12:02:00')).toMatchObject({ status: 'RUNNING', workerId: 'other' });
  expect(rowDue('12:01:00')).toMatchObject({ status: 'QUEUED', attempt: 0 });
});

test('a claim that is given back is the first attempt of the next worker, with a larger number', async () => {
  const { context, claimAt, rowDue } = await aJob({ retry: { maxAttempts: 1 } });
  const given = claimedOf(await claimAt('12:01:00'));
  await giveBack(context, given);
  expect(rowDue('12:01:00')).toMatchObject({ status: 'QUEUED', attempt: 0, number: given.row.number });
  const { row } = claimedOf(await claimAt('12:01:00', '12:01:00', 'another'));
  expect(row).toMatchObject({ attempt: 1, workerId: 'another' });
  expect(row.number).toBeGreaterThan(given.row.number);
});

test('while the worker of another execution is lost, nothing is skipped because of it', async () => {
  const { claimAt, rowDue } = await aJob({ overlap: 'skip' });
  claimedOf(await claimAt('12:01:00'));
  expect(await claimAt('12:02:00')).toEqual({ kind: 'later', at: at('12:02:01') });
  expect(rowDue('12:02:00')).toBeUndefined();
});

test('with runAll, an occurrence in time does not overtake a missed one that is not in line yet', async () => {
  const { claimAt, rowDue } = await aJob({
    overlap: 'queue',
    misfire: { policy: 'runAll', graceSeconds: 1 },
  });
  expect(await claimAt('12:02:00')).toMatchObject({ kind: 'later' });
  expect(await claimAt('12:02:00', '12:01:00')).toMatchObject({ kind: 'later' });
  claimedOf(await claimAt('12:02:01', '12:01:00'));
  expect(rowDue('12:02:00')).toMatchObject({ status: 'QUEUED' });
});
