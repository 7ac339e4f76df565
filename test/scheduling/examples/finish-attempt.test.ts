import { expect, test } from 'vitest';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { finishAttempt } from '../../../src/scheduling/running/finish-attempt.ts';
import {
  at,
  claimedOf,
  EVERY_MINUTE,
  MINUTE,
  SUCCEEDED,
  standingWorld,
} from '../../support/standing-world.ts';
import { failNext, loseResponse } from '../../support/store-faults.ts';

async function claimedAtItsTime() {
  const world = standingWorld();
  const jobId = await world.create({ ...EVERY_MINUTE, retry: { maxAttempts: 2, backoffSeconds: 10 } });
  const message = world.message(jobId, at('12:01:00'));
  world.now = at('12:01:00');
  const claimed = claimedOf(await claim(world.context, 'worker', message));
  world.sent.length = 0;
  const times = { receivedAt: at('12:01:00'), startedAt: at('12:01:00') };
  const context = { ...world.context, random: { ...world.context.random, float: () => 0.5 } };
  return { world, context, message, claimed, times };
}

test('a failed attempt is sent again after its backoff', async () => {
  const { world, context, message, claimed, times } = await claimedAtItsTime();
  const failed = { kind: 'failed', error: { name: 'Error', message: 'no' }, retry: 'backoff' } as const;
  world.now = at('12:01:05');
  await finishAttempt(context, claimed, failed, times);
  expect(world.row(message)).toMatchObject({ status: 'RETRYING', attempt: 1, nextAttemptAt: at('12:01:15') });
  expect(world.sent).toMatchObject([{ due: message.due, fireAt: at('12:01:15') }]);
});

test('the next attempt is not before the fire time, also if the clock was set back since the start', async () => {
  const { world, context, message, claimed, times } = await claimedAtItsTime();
  world.now = at('12:00:59');
  const error = { name: 'Error', message: 'no' };
  await finishAttempt(context, claimed, { kind: 'failed', error, retry: { afterMs: 0 } }, times);
  expect(world.row(message)).toMatchObject({ status: 'RETRYING', nextAttemptAt: at('12:01:00') });
});

test('a result is recorded although the store fails once and then loses its response', async () => {
  const { world, context, message, claimed, times } = await claimedAtItsTime();
  loseResponse(world.store, 'updateRow');
  failNext(world.store, 'updateRow');
  expect(await finishAttempt(context, claimed, SUCCEEDED, times)).toMatchObject({ status: 'SUCCEEDED' });
  expect(world.row(message)).toMatchObject({ status: 'SUCCEEDED', attempt: 1, number: claimed.row.number });
});

test.each([
  { lookAheadMinutes: 5, afterMinutes: 13, entries: 0 },
  { lookAheadMinutes: 5, afterMinutes: 15, entries: 1 },
  // dispatch has passed the slot, so an entry would be found by settle only
  { lookAheadMinutes: 30, afterMinutes: 31, entries: 0 },
  { lookAheadMinutes: 30, afterMinutes: 33, entries: 1 },
])(
  'with a look-ahead of $lookAheadMinutes minutes, a retry after $afterMinutes has $entries entries',
  async (given) => {
    const { world, context, message, claimed, times } = await claimedAtItsTime();
    const settings = { ...context.settings, lookAheadMs: given.lookAheadMinutes * MINUTE };
    const failed = { kind: 'failed', error: { name: 'Error', message: 'no' } } as const;
    const retry = { afterMs: given.afterMinutes * MINUTE };
    await finishAttempt({ ...context, settings }, claimed, { ...failed, retry }, times);
    const entries = world.store.snapshot().entries.filter(({ kind }) => kind === 'retry');
    expect(entries).toHaveLength(given.entries);
    expect(world.sent).toHaveLength(1 - given.entries);
    expect(world.row(message)).toMatchObject({ status: 'RETRYING' });
  },
);
