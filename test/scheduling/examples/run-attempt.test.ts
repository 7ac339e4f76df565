import { expect, test } from 'vitest';
import { z } from 'zod';
import { claim } from '../../../src/scheduling/claiming/claim.ts';
import { runAttempt } from '../../../src/scheduling/running/run-attempt.ts';
import { rowKey } from '../../../src/store/memory/memory-store.ts';
import { defineTask, type TaskContext } from '../../../src/tasks/task.ts';
import { at, StandingClock, settle } from '../../support/standing-clock.ts';
import { claimedOf, EVERY_MINUTE, standingWorld } from '../../support/standing-world.ts';

async function startAttempt(run: (task: TaskContext<unknown>) => Promise<unknown>) {
  const world = standingWorld();
  const message = world.message(await world.create({ ...EVERY_MINUTE, timeoutSeconds: 60 }), at('12:01:00'));
  const clock = new StandingClock(at('12:01:00'));
  const context = { ...world.context, clock };
  const claimed = claimedOf(await claim(context, 'worker', message));
  const tasks = new Map([['noop', defineTask({ name: 'noop', description: '', params: z.unknown(), run })]]);
  const drain = new AbortController();
  const attempt = runAttempt(context, { tasks, aborting: drain.signal }, claimed);
  await settle();
  return { world, clock, message, claimed, drain, attempt };
}

const untilTold = ({ signal }: TaskContext<unknown>) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('a task that exceeds timeoutSeconds is told to stop, and may be retried', async () => {
  const { clock, attempt } = await startAttempt(untilTold);
  await clock.advance(60_000);
  const failed = { kind: 'failed', retry: 'backoff', error: { name: 'Timeout' } };
  expect(await attempt).toMatchObject({ outcome: failed, startedAt: at('12:01:00') });
});

test('a checkpoint is stored before the task goes on, so the next attempt can resume there', async () => {
  const { world, message, drain, attempt } = await startAttempt(async (task) => {
    await task.checkpoint({ page: 7 });
    return untilTold(task);
  });
  expect(await world.store.readCheckpoint(message)).toEqual({ page: 7 });
  drain.abort();
  expect((await attempt).outcome).toEqual({ kind: 'interrupted' });
});

test('the result of a task that has lost its lease is discarded', async () => {
  const { world, clock, message, attempt } = await startAttempt(untilTold);
  const row = world.row(message);
  if (row) world.store.rows.set(rowKey(row), { ...row, number: row.number + 1 });
  await clock.advance(10_000);
  expect((await attempt).outcome).toBeUndefined();
});
