import { expect, test } from 'vitest';
import { blocks, hasLetGo, isOver, newHold } from '../../../src/scheduling/claiming/holds.ts';
import { newRow } from '../../../src/scheduling/records/write-row.ts';
import { at, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

async function heldSince(time: string) {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  world.now = at(time);
  const message = world.message(jobId, at('12:01:00'));
  const hold = newHold(world.context, message, 'worker', undefined, 1);
  const rowAs = (status: 'RUNNING' | 'RETRYING' | 'SUCCEEDED') => ({
    ...newRow(world.head(jobId), message.due, message.revision, status),
    fence: hold.token,
  });
  return { world, context: world.context, head: world.head(jobId), hold, rowAs };
}

test('a hold is over when its lease has ended by every clock', async () => {
  const { world, context, hold } = await heldSince('12:01:00');
  world.now = hold.leaseUntil + context.settings.clockSkewMs;
  expect(isOver(context, hold)).toBe(false);
  world.now += 1;
  expect(isOver(context, hold)).toBe(true);
});

test('a hold blocks other executions until its row has ended, also if its worker is lost', async () => {
  const { world, context, head, hold, rowAs } = await heldSince('12:01:00');
  world.now = at('12:30:00');
  expect(await blocks(context, head, hold, undefined)).toBeDefined();
  await world.store.insertRow(rowAs('SUCCEEDED'));
  expect(await blocks(context, head, hold, undefined)).toBeUndefined();
});

test('a worker that waits for a retry has let go, whatever its lease says', async () => {
  const { hold, rowAs } = await heldSince('12:01:00');
  expect(hasLetGo(hold, rowAs('RUNNING'))).toBe(false);
  expect(hasLetGo(hold, rowAs('RETRYING'))).toBe(true);
});
