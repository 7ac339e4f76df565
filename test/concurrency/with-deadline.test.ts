import { expect, test } from 'vitest';
import { withDeadline } from '../../src/concurrency/with-deadline.ts';
import { StandingClock } from '../support/standing-clock.ts';

const never = new Promise<string>(() => {});
const late = () => 'late';

test('a promise that settles before the deadline is the result, and the timer ends', async () => {
  const timer = new StandingClock();
  expect(await withDeadline(Promise.resolve('done'), { timer, ms: 1_000 }, late)).toBe('done');
  await expect(withDeadline(Promise.reject(new Error('failed')), { timer, ms: 1_000 }, late)).rejects.toThrow(
    'failed',
  );
  expect(timer.sleeping).toBe(0);
});

test('a promise that is pending at the deadline is not awaited any longer', async () => {
  const timer = new StandingClock();
  const result = withDeadline(never, { timer, ms: 1_000 }, late);
  await timer.advance(1_000);
  expect(await result).toBe('late');
});

test('an error of `onDeadline` is the result', async () => {
  const timer = new StandingClock();
  const result = withDeadline(never, { timer, ms: 1_000 }, () => {
    throw new Error('no answer');
  });
  const failed = expect(result).rejects.toThrow('no answer');
  await timer.advance(1_000);
  await failed;
});

test('an abort of the signal ends the wait', async () => {
  const timer = new StandingClock();
  const stop = new AbortController();
  const result = withDeadline(never, { timer, ms: 1_000, signal: stop.signal }, late);
  stop.abort();
  expect(await result).toBe('late');
});

test('a rejection after the deadline is ignored', async () => {
  const timer = new StandingClock();
  const { promise, reject } = Promise.withResolvers<string>();
  const result = withDeadline(promise, { timer, ms: 1_000 }, late);
  await timer.advance(1_000);
  expect(await result).toBe('late');
  reject(new Error('too late'));
  await new Promise((resolve) => setImmediate(resolve));
});
