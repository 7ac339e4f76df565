// Concurrent calls share requests, and each caller gets its own result.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBatcher } from '../../src/concurrency/batcher.ts';
import { StandingClock, settle } from '../support/standing-clock.ts';

interface Call {
  readonly key: string;
  readonly value: number;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A request stays in flight until the test answers it. */
function setUp({ maxCalls = 3, maxInFlight = 2, stallMs = 60_000 } = {}) {
  const timer = new StandingClock();
  const sent: { calls: readonly Call[]; answer(failure?: Error): void }[] = [];
  const call = createBatcher<Call, number>(
    { timer, maxCalls, maxInFlight, stallMs, keyOf: ({ key }) => key },
    (calls) =>
      new Promise((resolve, reject) => {
        const answers = calls.map(({ value }) =>
          value < 0
            ? { status: 'rejected' as const, reason: new Error(`no ${value}`) }
            : { status: 'fulfilled' as const, value: value * 2 },
        );
        sent.push({ calls, answer: (failure) => (failure ? reject(failure) : resolve(answers)) });
      }),
  );
  const keys = () => sent.map(({ calls }) => calls.map(({ key }) => key).join(''));
  return { call, sent, keys, timer };
}

test('a single call is sent at the end of the turn of the event loop', async () => {
  const { call, sent, keys } = setUp();
  const answer = call({ key: 'a', value: 1 });
  await turn();
  expect(keys()).toEqual(['a']);
  sent[0]?.answer();
  expect(await answer).toBe(2);
});

test('calls that arrive while all requests are in flight share the next request', async () => {
  const { call, sent, keys } = setUp({ maxCalls: 3, maxInFlight: 1 });
  const all = [call({ key: 'a', value: 1 })];
  await turn();
  for (const [i, key] of ['b', 'c', 'd', 'e'].entries()) all.push(call({ key, value: i }));
  await turn();
  expect(keys()).toEqual(['a']);
  sent[0]?.answer();
  await turn();
  await turn();
  expect(keys()).toEqual(['a', 'bcd']);
  sent[1]?.answer();
  await turn();
  await turn();
  sent[2]?.answer();
  expect(await Promise.all(all)).toEqual([2, 0, 2, 4, 6]);
  expect(keys()).toEqual(['a', 'bcd', 'e']);
});

test('two calls with one key are never in the same request, and stay in their order', async () => {
  const { call, sent, keys } = setUp({ maxCalls: 3, maxInFlight: 1 });
  const all = ['a', 'a', 'b', 'a', 'c'].map((key, value) => call({ key, value }));
  for (let i = 0; i < 3; i++) {
    await turn();
    await turn();
    sent[i]?.answer();
  }
  expect(await Promise.all(all)).toEqual([0, 2, 4, 6, 8]);
  expect(keys()).toEqual(['abc', 'a', 'a']);
  expect(sent.map(({ calls }) => calls[0]?.value)).toEqual([0, 1, 3]);
});

test('with `lingerMs` the first call waits that long for others, by the timer it was given', async () => {
  const timer = new StandingClock();
  const sent: number[] = [];
  const call = createBatcher<Call, number>(
    { timer, maxCalls: 5, maxInFlight: 2, stallMs: 60_000, lingerMs: 30 },
    async (group) => {
      sent.push(group.length);
      return group.map(({ value }) => ({ status: 'fulfilled', value }));
    },
  );
  const first = call({ key: 'a', value: 1 });
  await timer.advance(29);
  expect(sent).toEqual([]);
  const second = call({ key: 'b', value: 2 });
  await timer.advance(1);
  expect(sent).toEqual([2]);
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(timer.sleeping, 'no timer is left').toBe(0);
});

test('a full batch does not wait, and the next one waits for as long again', async () => {
  const timer = new StandingClock();
  const sent: number[] = [];
  const call = createBatcher<number, void>({ timer, maxCalls: 2, lingerMs: 100 }, async (batch) => {
    sent.push(batch.length);
    return batch.map(() => ({ status: 'fulfilled', value: undefined }));
  });
  void call(1);
  await timer.advance(60);
  void call(2);
  expect(sent).toEqual([2]);
  void call(3);
  await timer.advance(99);
  expect(sent).toEqual([2]);
  await timer.advance(1);
  expect(sent).toEqual([2, 1]);
});

test('a stalled request does not block the others', async () => {
  const { call, sent, keys, timer } = setUp({ maxInFlight: 1, stallMs: 20 });
  const first = call({ key: 'a', value: 1 });
  await turn();
  const second = call({ key: 'b', value: 2 });
  await timer.advance(19);
  expect(keys()).toEqual(['a']);
  await timer.advance(1);
  expect(keys()).toEqual(['a', 'b']);
  sent[1]?.answer();
  expect(await second).toBe(4);
  // the stalled request is no longer counted, also when its response arrives
  const third = call({ key: 'c', value: 3 });
  sent[0]?.answer();
  expect(await first).toBe(2);
  await settle();
  expect(keys()).toEqual(['a', 'b', 'c']);
  sent[2]?.answer();
  expect(await third).toBe(6);
});

describe('failures', () => {
  test('each call gets its own failure, and all calls get the failure of the request', async () => {
    const { call, sent } = setUp();
    const some = Promise.allSettled([call({ key: 'a', value: 1 }), call({ key: 'b', value: -1 })]);
    await turn();
    sent[0]?.answer();
    expect(await some).toMatchObject([{ value: 2 }, { reason: { message: 'no -1' } }]);

    const none = Promise.allSettled([call({ key: 'a', value: 1 }), call({ key: 'b', value: 2 })]);
    await turn();
    sent[1]?.answer(new Error('lost'));
    expect(await none).toMatchObject([{ reason: { message: 'lost' } }, { reason: { message: 'lost' } }]);
  });
});

test('with random calls, every call is answered once and the limits are kept', async () => {
  const calls = fc.array(
    fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), value: fc.nat(9), turns: fc.nat(2) }),
  );
  await fc.assert(
    fc.asyncProperty(
      calls,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 3 }),
      async (list, maxCalls, maxInFlight) => {
        let underWay = 0;
        const call = createBatcher<Call, number>(
          { timer: new StandingClock(), maxCalls, maxInFlight, stallMs: 60_000, keyOf: ({ key }) => key },
          async (group) => {
            expect(++underWay).toBeLessThanOrEqual(maxInFlight);
            expect(group.length).toBeLessThanOrEqual(maxCalls);
            expect(new Set(group.map(({ key }) => key)).size).toBe(group.length);
            await turn();
            underWay--;
            return group.map(({ value }) => ({ status: 'fulfilled', value: value * 2 }));
          },
        );
        const answers: Promise<number>[] = [];
        for (const { turns, ...one } of list) {
          for (let i = 0; i < turns; i++) await turn();
          answers.push(call(one));
        }
        expect(await Promise.all(answers)).toEqual(list.map(({ value }) => value * 2));
      },
    ),
    { numRuns: 100 },
  );
});
