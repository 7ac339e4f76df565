import { expect, test } from 'vitest';
import { minuteOf } from '../../../src/domain/executions/slots.ts';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { settleSlot } from '../../../src/scheduling/planning/settle-slot.ts';
import { finishAttempt } from '../../../src/scheduling/running/finish-attempt.ts';
import { at, claimedOf, EVERY_MINUTE, SUCCEEDED, standingWorld } from '../../support/standing-world.ts';

const SLOT = minuteOf(at('12:01:00'));
const HORIZON = minuteOf(at('12:05:00'));

test('an occurrence whose message was lost is sent again, and looked at again later', async () => {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  const [lost] = world.sent.splice(0);

  world.now = at('12:04:00');
  expect(await settleSlot(world.context, 0, SLOT, HORIZON)).toEqual({ entries: 1, corrected: 1 });
  expect(world.sent).toMatchObject([{ jobId, due: lost?.due, fireAt: at('12:01:00') }]);
  const { items } = await world.store.readSlot(minuteOf(at('12:05:00')), 0);
  expect(items).toContainEqual(expect.objectContaining({ kind: 'check', due: lost?.due }));
});

test('an occurrence that has ended is left alone', async () => {
  const world = standingWorld();
  const jobId = await world.create(EVERY_MINUTE);
  world.now = at('12:01:00');
  const claimed = claimedOf(await claim(world.context, 'worker', world.message(jobId, world.now)));
  await finishAttempt(world.context, claimed, SUCCEEDED, { receivedAt: world.now, startedAt: world.now });

  world.now = at('12:04:00');
  expect(await settleSlot(world.context, 0, SLOT, HORIZON)).toEqual({ entries: 1, corrected: 0 });
});
