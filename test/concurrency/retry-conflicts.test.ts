import { expect, test } from 'vitest';
import { CONFLICT, RETRY_NOW, retryConflicts } from '../../src/concurrency/retry-conflicts.ts';

function setUp() {
  const sleeps: number[] = [];
  const clock = { now: () => 0, sleep: async (ms: number) => void sleeps.push(ms) };
  return { sleeps, context: { clock, random: { float: () => 0.5 } } };
}

test('the result of the first round without a conflict is returned, after growing pauses', async () => {
  const { sleeps, context } = setUp();
  let rounds = 0;
  const result = await retryConflicts(context, { maxRounds: 5, pauseMs: 20 }, async () =>
    ++rounds < 3 ? CONFLICT : 'written',
  );
  expect(result).toBe('written');
  expect(sleeps).toEqual([10, 20]);
});

test('RETRY_NOW starts over without a pause, and counts as a round', async () => {
  const { sleeps, context } = setUp();
  const results = [RETRY_NOW, CONFLICT, RETRY_NOW] as const;
  let rounds = 0;
  const result = await retryConflicts(context, { maxRounds: 3, pauseMs: 20 }, async () => {
    return results[rounds++] ?? 'written';
  });
  expect(result).toBe(CONFLICT);
  expect(sleeps).toEqual([20]);
});

test('`undefined` is a result', async () => {
  const { context } = setUp();
  expect(await retryConflicts(context, { maxRounds: 3, pauseMs: 20 }, async () => undefined)).toBe(undefined);
});

test('a failed round ends the loop', async () => {
  const { context } = setUp();
  const failing = retryConflicts(context, { maxRounds: 3, pauseMs: 20 }, () =>
    Promise.reject(new Error('lost')),
  );
  await expect(failing).rejects.toThrow('lost');
});
