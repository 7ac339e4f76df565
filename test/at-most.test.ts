import { expect, test } from 'vitest';
import { atMost, type Rank } from '../src/at-most.ts';

/** Whatever is asked for while one is under way, and in which order it is done then. */
async function orderOf(asked: readonly (readonly [string, Rank])[]): Promise<string[]> {
  const limit = atMost(1);
  const done: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = limit(() => promise);
  const others = asked.map(([name, rank]) => limit(async () => void done.push(name), rank));
  resolve();
  await Promise.all([first, ...others]);
  return done;
}

test('by rank, and of one rank who came first', async () => {
  const asked = [
    ['row', 'last'],
    ['read', 'second'],
    ['take', 'first'],
    ['take too', 'first'],
  ] as const;
  expect(await orderOf(asked)).toEqual(['take', 'take too', 'read', 'row']);
});

test.each(['second', 'last'] as const)(
  'what is %s has its turn, however many come before it',
  async (rank) => {
    const takes = Array.from({ length: 100 }, (_, i) => [`take ${i}`, 'first'] as const);
    const order = await orderOf([['other', rank], ...takes]);
    expect(order.indexOf('other')).toBeLessThan(50);
  },
);

test('no more at once than allowed, and one that fails makes room', async () => {
  const limit = atMost(2);
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
