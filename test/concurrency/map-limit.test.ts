import { expect, test } from 'vitest';
import { chunksOf, forEachLimit } from '../../src/concurrency/map-limit.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('every item is worked on, at most `limit` at the same time', async () => {
  let running = 0;
  let most = 0;
  const done: [string, number][] = [];
  await forEachLimit(['a', 'b', 'c', 'd', 'e'], 2, async (item, index) => {
    most = Math.max(most, ++running);
    await turn();
    running--;
    done.push([item, index]);
  });
  expect(most).toBe(2);
  expect(done).toEqual([...'abcde'].map((item, index) => [item, index]));
});

test('after a failure no further call starts, and the calls in flight settle first', async () => {
  const settled: number[] = [];
  const loop = forEachLimit([0, 1, 2, 3], 2, async (item) => {
    if (item === 0) throw new Error('first');
    await turn();
    settled.push(item);
  });
  await expect(loop).rejects.toThrow('first');
  expect(settled).toEqual([1]);
});

test('no items, no calls', async () => {
  await forEachLimit([], 3, () => Promise.reject(new Error('called')));
});

test('chunks keep the order and the last one is shorter', () => {
  expect(chunksOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunksOf([], 2)).toEqual([]);
});
