import { expect, test } from 'vitest';
import { createLimiter } from '../../src/concurrency/limiter.ts';

test('calls beyond the limit start in the order in which they arrived', async () => {
  const limit = createLimiter(1);
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = limit(() => promise);
  const others = ['a', 'b', 'c'].map((name) => limit(async () => void done.push(name)));
  expect(done).toEqual([]);
  resolve();
  await Promise.all([first, ...others]);
  expect(done).toEqual(['a', 'b', 'c']);
});

test('at most `limit` calls run at the same time, and a failed call frees its slot', async () => {
  const limit = createLimiter(2);
  let running = 0;
  let most = 0;
  const work = async (i: number) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running--;
    if (i % 2) throw new Error('failed');
  };
  const done = await Promise.allSettled(Array.from({ length: 9 }, (_, i) => limit(() => work(i))));
  expect(done.filter(({ status }) => status === 'rejected')).toHaveLength(4);
  expect(most).toBe(2);
});
