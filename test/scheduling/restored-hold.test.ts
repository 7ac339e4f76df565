// A claim that is undone puts back the hold of another execution, whose worker may still write its row.
import { expect, test } from 'vitest';
import { executionId } from '../../src/domain/executions/ids.ts';
import { asUser } from '../../src/domain/principal.ts';
import { retryExecution } from '../../src/jobs/manual-runs.ts';
import { claim } from '../../src/scheduling/claiming/claim.ts';
import { finishAttempt } from '../../src/scheduling/running/finish-attempt.ts';
import { at, claimedOf, EVERY_MINUTE, standingWorld, USER } from '../support/standing-world.ts';

const FAILED = { kind: 'failed', error: { name: 'Error', message: 'no' }, retry: 'never' } as const;

test('a row that its worker fences late, after an undone claim of another, has not started', async () => {
  const world = standingWorld();
  const { context, store } = world;
  const jobId = await world.create({
    ...EVERY_MINUTE,
    retry: { maxAttempts: 1 },
    limit: { key: 'k', concurrent: 2 },
  });
  const first = world.message(jobId, at('12:01:00'));
  const second = world.message(jobId, at('12:02:00'));

  // the first execution fails, and a person retries it
  world.now = at('12:01:00');
  const times = { receivedAt: world.now, startedAt: world.now };
  await finishAttempt(context, claimedOf(await claim(context, 'one', first)), FAILED, times);
  world.sent.length = 0;
  await retryExecution(context, asUser(USER), executionId(jobId, first.due));
  const again = world.message(jobId, at('12:01:00'));

  // a worker claims it, and its write of the row is under way for longer than its lease
  const fence = Promise.withResolvers<void>();
  const updateRow = store.updateRow.bind(store);
  store.updateRow = async (seen, row) => {
    await fence.promise;
    return updateRow(seen, row);
  };
  const slow = claim(context, 'slow', again);
  await expect.poll(() => world.head(jobId).hold?.workerId).toBe('slow');
  world.now = at('12:02:00');

  // meanwhile the next occurrence is claimed, gets no slot, and is undone
  const writeKeySlot = store.writeKeySlot.bind(store);
  store.writeKeySlot = async () => {
    store.writeKeySlot = writeKeySlot;
    fence.resolve();
    await slow;
    throw new Error('the store does not answer');
  };
  await expect(claim(context, 'other', second)).rejects.toThrow('the store does not answer');
  expect(world.row(first)).toMatchObject({ status: 'RUNNING', attempt: 1, workerId: 'slow' });

  expect(await claim(context, 'third', again)).toMatchObject({
    kind: 'run',
    claimed: { hold: { attempt: 1 } },
  });
});
