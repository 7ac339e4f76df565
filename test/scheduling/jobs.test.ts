import { expect, test } from 'vitest';
import { editJob } from '../../src/scheduling/jobs.ts';
import { standingWorld } from './world.ts';

/** 200 KB in a request, a megabyte when written out. */
const swelling = { result: Array.from({ length: 50_000 }, () => 1e20) };

test('params that are too large once written out are refused by name, and nothing is left behind', async () => {
  const world = standingWorld();
  await expect(world.create({ params: swelling })).rejects.toThrow(/params: .* at most 300000 are allowed/);
  const { heads, entries } = world.store.snapshot();
  expect({ heads, entries }).toEqual({ heads: [], entries: [] });
});

test('an edit to such params leaves the job as it was', async () => {
  const world = standingWorld();
  const jobId = await world.create({ schedule: { every: 'PT1H' } });
  const before = await world.store.readHead(jobId, { consistent: true });
  const me = { userId: 'ann', operator: false };
  await expect(editJob(world.context, me, jobId, { params: swelling })).rejects.toThrow(/at most 300000/);
  expect(await world.store.readHead(jobId, { consistent: true })).toEqual(before);
});

test('a schedule anchored before 1970 is refused: no key could hold its occurrences', async () => {
  const world = standingWorld();
  const schedule = { every: 'PT1M', startAt: '0100-01-01T00:00:00Z' };
  await expect(world.create({ schedule })).rejects.toThrow(/schedule\.startAt: .* from 1970 to 2199/);
});
