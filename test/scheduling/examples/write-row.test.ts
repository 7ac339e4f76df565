import { expect, test } from 'vitest';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { writeRow } from '../../../src/scheduling/records/write-row.ts';
import { at, claimedOf, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';
import { loseResponse } from '../../support/store-faults.ts';

async function running() {
  const world = standingWorld();
  const message = world.message(await world.create(EVERY_MINUTE), at('12:01:00'));
  world.now = at('12:01:00');
  const { row } = claimedOf(await claim(world.context, 'first', message));
  const takeOver = async () => {
    world.now = at('12:02:00');
    return claimedOf(await claim(world.context, 'second', message)).row;
  };
  return { ...world, running: row, takeOver };
}

test('a write whose response was lost counts as done', async () => {
  const { context, store, running: seen, row } = await running();
  loseResponse(store, 'updateRow');
  const end = { ...seen, status: 'SUCCEEDED', finishedAt: at('12:01:05') } as const;
  expect(await writeRow(context, seen, end)).toBe(true);
  expect(row(end)?.status).toBe('SUCCEEDED');
});

test('a worker that was taken over cannot write its result', async () => {
  const { context, running: seen, row, takeOver } = await running();
  const next = await takeOver();
  const lateResult = { ...seen, status: 'SUCCEEDED', finishedAt: at('12:02:05') } as const;
  expect(await writeRow(context, { status: 'RUNNING', number: seen.number }, lateResult)).toBe(false);
  expect(row(next)).toEqual(next);
});

test('a state that may not follow is a mistake of the program, and is not written', async () => {
  const { context, running: seen, row } = await running();
  const skipped = { ...seen, status: 'SKIPPED' } as const;
  await expect(writeRow(context, seen, skipped)).rejects.toThrow('SKIPPED cannot follow RUNNING');
  expect(row(seen)?.status).toBe('RUNNING');
});
