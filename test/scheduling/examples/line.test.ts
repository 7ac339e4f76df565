import { expect, test } from 'vitest';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { comeBackAt, isBehind, wakeNext } from '../../../src/scheduling/claiming/line.ts';
import { at, claimedOf, EVERY_MINUTE, MINUTE, standingWorld } from '../../support/standing-world.ts';

/** The execution due at 12:01 runs, and the given ones stand in line. */
async function lineOf(...times: string[]) {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, overlap: 'queue' });
  const dueOf = (time: string) => world.message(jobId, at(time)).due;
  world.now = at('12:01:00');
  claimedOf(await claim(world.context, 'worker', world.message(jobId, at('12:01:00'))));
  world.now = at('12:04:00');
  for (const time of times) await claim(world.context, 'worker', world.message(jobId, at(time)));
  const behind = (time: string) => isBehind(world.context, { jobId, due: dueOf(time) }, undefined);
  return { world, jobId, dueOf, behind };
}

test('an execution is behind each older one that waits, and not behind later ones', async () => {
  const { behind } = await lineOf('12:03:00');
  expect(await behind('12:02:00')).toBe(false);
  expect(await behind('12:03:00')).toBe(false);
  expect(await behind('12:04:00')).toBe(true);
});

test('the item of an execution whose row may still come counts, and disappears if it does not come', async () => {
  const { world, jobId, dueOf, behind } = await lineOf();
  await world.store.putWait({ jobId, due: dueOf('12:02:00') }, world.now);
  expect(await behind('12:03:00')).toBe(true);
  world.now += MINUTE;
  expect(await behind('12:03:00')).toBe(false);
  expect(await world.store.firstWait(jobId)).toBeUndefined();
});

test('an execution whose row came so late that its item was removed stands in line again', async () => {
  const { world, jobId, dueOf } = await lineOf('12:02:00');
  const own = { jobId, due: dueOf('12:02:00') };
  await world.store.removeWait(own, (await world.store.firstWait(jobId))?.at ?? 0);
  const row = await world.store.readRow(jobId, own.due, { consistent: true });
  expect(await isBehind(world.context, own, row)).toBe(false);
  expect(await world.store.firstWait(jobId)).toMatchObject({ due: own.due });
});

test('the oldest execution in line is sent at once', async () => {
  const { world, jobId, dueOf } = await lineOf('12:03:00', '12:02:00');
  world.sent.length = 0;
  await wakeNext(world.context, world.head(jobId), 'of another');
  expect(world.sent).toMatchObject([{ jobId, due: dueOf('12:02:00'), fireAt: at('12:02:00') }]);
});

test.each([
  ['within 30 s, if an end wakes the next in line', 'queue', 30_000],
  ['within 5 s, if no end wakes it', 'skip', 5_000],
])('a message that waits comes back after 1 s, then later and later: %s', (_why, overlap, longest) => {
  const head = {
    overlap: overlap as 'queue' | 'skip',
    misfire: { policy: 'runOnce', graceSeconds: 60 },
  } as const;
  const waits = [0, 1_000, 2_000, 4_000, 60_000].map((waited) => comeBackAt(head, waited, 0) - waited);
  expect(waits).toEqual([1_000, 1_000, 2_000, 4_000, longest]);
});
