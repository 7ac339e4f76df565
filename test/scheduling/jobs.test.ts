import { expect, test } from 'vitest';
import { editJob } from '../../src/jobs/edit-job.ts';
import { listChanges } from '../../src/queries/list-changes.ts';
import { standingWorld } from '../support/standing-world.ts';

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

test('an edit whose answer was lost, and after which a worker took the lock, is not made twice', async () => {
  const world = standingWorld();
  const { store, context } = world;
  const jobId = await world.create({ schedule: { every: 'PT1H' } });
  const updateHead = store.updateHead.bind(store);
  store.updateHead = async (seen, change) => {
    store.updateHead = updateHead;
    await updateHead(seen, change);
    const head = await store.readHead(jobId, { consistent: true });
    const lock = { due: '1796119200000', number: 1 };
    if (head) await store.takeLock({ seen: head, lock, coveredUntil: undefined });
    return false; // what the SDK's own retry of the lost request was answered
  };
  const me = { userId: 'ann', operator: false };
  expect(await editJob(context, me, jobId, { name: 'x' })).toMatchObject({ version: 2 });
  expect(await store.readHead(jobId, { consistent: true })).toMatchObject({ version: 2, name: 'x' });
  const { items } = await listChanges(context, me, jobId, { limit: 10 });
  expect(items.map(({ what }) => what)).toEqual(['edited', 'created']);
});
