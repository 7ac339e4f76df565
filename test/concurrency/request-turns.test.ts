import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  answeringInSlices,
  filterInSlices,
  giveWay,
  inSlices,
  onBehalfOf,
  RequestTurns,
} from '../../src/concurrency/request-turns.ts';

/** Turns on a clock that only `work` moves, and the work of each turn of the event loop in milliseconds. */
function measured() {
  let now = 0;
  const turns = new RequestTurns({ monotonic: () => now });
  const log: string[] = [];
  return {
    turns,
    log,
    work(ms: number, name = 'work') {
      now += ms;
      log.push(name);
    },
    /** Counts the turns of the event loop in the log until it is stopped. */
    countTurns() {
      let stopped = false;
      const count = () => {
        if (stopped) return;
        log.push('turn');
        setImmediate(count);
      };
      setImmediate(count);
      return () => (stopped = true);
    },
  };
}

/** The names between two entries `turn`. */
const perTurn = (log: readonly string[]): string[][] =>
  log
    .join(',')
    .split('turn')
    .map((part) => part.split(',').filter(Boolean));

test.each([1, 32, 1_000])(
  'a turn of the event loop ends after 10 ms of work, with %i requests that wait',
  async (requests) => {
    const { turns, log, work, countTurns } = measured();
    const stop = countTurns();
    await Promise.all(
      Array.from({ length: requests }, () =>
        turns.run('ann', () => inSlices([1, 2, 3, 4, 5, 6, 7, 8], () => work(3))),
      ),
    );
    stop();
    const turnsOfWork = perTurn(log).map((names) => names.length);
    // the piece that begins within the 10 ms is finished
    expect(Math.max(...turnsOfWork)).toBeLessThanOrEqual(4);
    expect(turnsOfWork.reduce((a, b) => a + b)).toBe(requests * 8);
  },
);

test('work that fits into a turn needs one', async () => {
  const { turns, log, work } = measured();
  const done = Promise.all(
    ['ann', 'bob', 'cat'].map((owner) => turns.run(owner, () => inSlices([1, 2, 3], () => work(1, owner)))),
  );
  expect(log, 'it does not begin in the phase of I/O').toEqual([]);
  await nextTurn();
  await nextTurn();
  expect(log).toHaveLength(9);
  await done;
});

test('an owner with one request waits for a slice of the others, not for their requests', async () => {
  const { turns, log, work } = measured();
  const all = Array.from({ length: 1_000 }, () =>
    turns.run('ann', () => inSlices([1, 2, 3, 4], () => work(3, 'ann'))),
  );
  await nextTurn();
  await nextTurn();
  const before = log.length;
  await turns.run('bob', () => inSlices([1, 2, 3], () => work(1, 'bob')));
  expect(log.length - before).toBeLessThan(20);
  await Promise.all(all);
});

test('the scheduler gets every other slice, however many owners send requests', async () => {
  const { turns, log, work } = measured();
  const requests = Array.from({ length: 100 }, (_, i) =>
    turns.run(`user ${i}`, () => inSlices([1, 2, 3, 4], () => work(3, 'request'))),
  );
  await turns.run(undefined, () => inSlices([1, 2, 3, 4, 5, 6, 7, 8], () => work(3, 'dispatch')));
  expect(log.filter((name) => name === 'request').length).toBeLessThan(12);
  await Promise.all(requests);
  expect(log.filter((name) => name === 'request')).toHaveLength(400);
});

test('outside of requests nothing waits', async () => {
  const { turns, work } = measured();
  const busy = turns.run('ann', () => inSlices([1, 2, 3], () => work(20)));
  expect(giveWay()).toBeUndefined();
  expect(onBehalfOf('bob', () => giveWay())).toBeUndefined();
  expect(await filterInSlices([1, 2, 3], (one) => one !== 2)).toEqual([1, 3]);
  await busy;
});

test('who waits for a message is not part of the request that sends it', async () => {
  const { turns } = measured();
  const { promise, resolve } = Promise.withResolvers<void>();
  const worker = (async () => {
    await promise;
    return giveWay();
  })();
  await turns.run('ann', async () => {
    await giveWay();
    resolve();
  });
  expect(await worker).toBeUndefined();
});

test('results of a store are handed over in a slice, and to others at once', async () => {
  const { turns, log, work } = measured();
  const store = answeringInSlices({
    async read(key: string) {
      work(1, `read ${key}`);
      return key;
    },
    name: 'store',
  });
  expect(store.name).toBe('store');
  const request = turns.run('ann', async () => {
    await giveWay();
    await Promise.all(
      ['a', 'b', 'c'].map(async (key) => {
        work(12, `view ${await store.read(key)}`);
      }),
    );
  });
  expect(await store.read('of a worker')).toBe('of a worker');
  log.length = 0;
  await nextTurn();
  expect(log).toEqual(['read a', 'read b', 'read c', 'view a']);
  await request;
  expect(log.slice(-2)).toEqual(['view b', 'view c']);
});

test('a failure of the store reaches the request', async () => {
  const { turns } = measured();
  const store = answeringInSlices({
    read: async () => {
      throw new Error('disk full');
    },
  });
  await expect(turns.run('ann', () => store.read())).rejects.toThrow('disk full');
});
