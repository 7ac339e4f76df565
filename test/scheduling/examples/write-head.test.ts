import { expect, test } from 'vitest';
import { writeHead } from '../../../src/scheduling/records/write-head.ts';
import { EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';
import { beforeNext, failNext, loseResponse } from '../../support/store-faults.ts';

async function aJob() {
  const world = standingWorld();
  const seen = world.head(await world.create(EVERY_MINUTE));
  return { ...world, seen };
}

test('of two writers that have read the same head, the first one wins', async () => {
  const { context, seen, head } = await aJob();
  expect(await writeHead(context, seen, { name: 'first', stamp: 'first' })).toBe(true);
  expect(await writeHead(context, seen, { name: 'second', stamp: 'second' })).toBe(false);
  expect(head(seen.jobId).name).toBe('first');
});

test('a write whose response was lost counts as done, also if another write has followed', async () => {
  const { context, store, seen, head } = await aJob();
  loseResponse(store, 'updateHead');
  expect(await writeHead(context, seen, { name: 'mine', stamp: 'mine' })).toBe(true);

  loseResponse(store, 'updateHead');
  beforeNext(store, 'readHead', () => store.updateHead(head(seen.jobId), { name: 'next', stamp: 'next' }));
  const change = { revision: 'new', stamp: 'edit' };
  expect(await writeHead(context, head(seen.jobId), change)).toBe(true);
});

test('a write that failed without an effect is an error', async () => {
  const { context, store, seen } = await aJob();
  failNext(store, 'updateHead');
  await expect(writeHead(context, seen, { stamp: 'mine' })).rejects.toThrow('did not answer');
});
