import { expect, test } from 'vitest';
import { newRow, writeFenced } from '../../../src/scheduling/records/write-row.ts';
import { at, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';
import { loseResponse } from '../../support/store-faults.ts';

async function running() {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const { due, revision } = world.message(jobId, at('12:01:00'));
  const row = { ...newRow(world.head(jobId), due, revision, 'RUNNING'), attempt: 1, fence: 'first worker' };
  await writeFenced(world.context, undefined, row);
  return { ...world, running: row };
}

test('a write whose response was lost counts as done', async () => {
  const world = await running();
  loseResponse(world.store, 'updateRow');
  const end = { ...world.running, status: 'SUCCEEDED' } as const;
  expect(await writeFenced(world.context, world.running, end)).toBe(true);
  expect(world.row(end)?.status).toBe('SUCCEEDED');
});

test('a worker that was taken over cannot write its result', async () => {
  const world = await running();
  const takenOver = { ...world.running, fence: 'second worker', attempt: 2 };
  expect(await writeFenced(world.context, world.running, takenOver)).toBe(true);

  const lateResult = { ...world.running, status: 'SUCCEEDED' } as const;
  expect(await writeFenced(world.context, world.running, lateResult)).toBe(false);
  expect(world.row(takenOver)).toEqual(takenOver);
});
