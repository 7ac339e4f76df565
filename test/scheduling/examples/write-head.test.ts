import { expect, test } from 'vitest';
import { writeHead } from '../../../src/scheduling/records/write-head.ts';
import { at, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';
import { failNext, loseResponse } from '../../support/store-faults.ts';

async function aJob() {
  const world = standingWorld();
  const seen = world.head(await world.create(EVERY_MINUTE));
  const change = (name: string, time: string) => ({ name, version: seen.version + 1, updatedAt: at(time) });
  return { ...world, seen, change };
}

test('of two writers that have read the same head, the first one wins', async () => {
  const { context, seen, head, change } = await aJob();
  expect(await writeHead(context, seen, change('first', '12:00:01'))).toBe(true);
  expect(await writeHead(context, seen, change('second', '12:00:02'))).toBe(false);
  expect(head(seen.jobId).name).toBe('first');
});

test('a claim between read and write does not stand in the way, and the lock stays', async () => {
  const { context, store, seen, head, change } = await aJob();
  const lock = { due: '1796126460000', number: 7 };
  await store.takeLock({ seen, lock, coveredUntil: undefined });
  expect(await writeHead(context, seen, change('mine', '12:00:01'))).toBe(true);
  expect(head(seen.jobId)).toMatchObject({ name: 'mine', lock });
});

test('a write whose response was lost counts as done', async () => {
  const { context, store, seen, change } = await aJob();
  loseResponse(store, 'updateHead');
  expect(await writeHead(context, seen, change('mine', '12:00:01'))).toBe(true);
});

test('a write that failed without an effect is an error', async () => {
  const { context, store, seen, change } = await aJob();
  failNext(store, 'updateHead');
  await expect(writeHead(context, seen, change('mine', '12:00:01'))).rejects.toThrow('did not answer');
});
