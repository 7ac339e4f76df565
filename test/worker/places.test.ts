import { beforeEach, expect, it } from 'vitest';
import { createFairShare } from '../../src/concurrency/fair-share.ts';
import { MAX_PLACE_WAIT_MS, PLACE_WAIT_MS, Places } from '../../src/worker/places.ts';
import { StandingClock } from '../support/standing-clock.ts';

const SIZE = 10;
const ANN = 'ann';
const UNSHARED = createFairShare(1);
let clock: StandingClock;
let places: Places;
beforeEach(() => {
  clock = new StandingClock();
  places = new Places(SIZE, clock, UNSHARED);
});

/** All places are acquired. `ranForMs` are the run times of tasks that have ended. */
async function full(ranForMs?: number, size = SIZE): Promise<void> {
  places = new Places(size, clock, UNSHARED);
  for (let i = 0; i < size; i++) await places.acquire(ANN);
  if (ranForMs === undefined) return;
  places.release(ANN, ranForMs);
  await places.acquire(ANN);
}

/** The time after which a place was acquired or refused. */
async function waited(): Promise<{ given: boolean; ms: number }> {
  const began = clock.now();
  const given = await places.acquire(ANN);
  return { given, ms: clock.now() - began };
}
const REFUSED_SOON = { given: false, ms: PLACE_WAIT_MS };
const REFUSED_LATE = { given: false, ms: MAX_PLACE_WAIT_MS };

/** Whether a place is expected for each of the next `count` due messages, which then wait. */
function expected(count: number): boolean[] {
  return Array.from({ length: count }, () => {
    const isExpected = places.isExpected(ANN);
    void places.acquire(ANN);
    return isExpected;
  });
}

it('expects a place for every message before any task has ended', async () => {
  await full();
  expect(expected(100)).toEqual(Array(100).fill(true));
});

it.each([
  [1, 100],
  [100, 99],
  [PLACE_WAIT_MS, 9],
  [60_000, 0],
])(
  'of tasks that run %d ms, places are expected for %d messages beside those that run',
  async (ranForMs, count) => {
    await full(ranForMs);
    expect(expected(100)).toEqual(Array.from({ length: 100 }, (_, i) => i < count));
  },
);

it('learns nothing from a place in which no task ran', async () => {
  await full();
  places.release(ANN, undefined);
  await places.acquire(ANN);
  expect(expected(100)).toEqual(Array(100).fill(true));
});

it('expects no short tasks after a wait failed and no task has ended', async () => {
  await full();
  const waiting = waited();
  await clock.advance(MAX_PLACE_WAIT_MS);
  expect(await waiting).toEqual(REFUSED_SOON);
  expect(expected(20)).toEqual(Array.from({ length: 20 }, (_, i) => i < SIZE - 1));
});

it('ends a wait after a while, later if a place is expected soon', async () => {
  await full(600, 1);
  const waiting = [waited(), waited()];
  await clock.advance(MAX_PLACE_WAIT_MS);
  // the first after 600 ms, the second after 1,200
  expect(await Promise.all(waiting)).toEqual([REFUSED_LATE, REFUSED_SOON]);
});

it('continues a wait if tasks turn out to be short', async () => {
  await full();
  const waiting = Array.from({ length: 12 }, waited);
  await clock.advance(PLACE_WAIT_MS / 2);
  places.release(ANN, 900);
  await clock.advance(MAX_PLACE_WAIT_MS);
  const [first, ...others] = await Promise.all(waiting);
  expect(first).toEqual({ given: true, ms: PLACE_WAIT_MS / 2 });
  // eleven are left for ten places: the last would wait for 990 ms
  expect(others).toEqual(Array(11).fill(REFUSED_LATE));
});

it('passes a free place to the longest waiter', async () => {
  await full();
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (n) => (await places.acquire(ANN)) && order.push(n));
  for (let i = 0; i < 2; i++) places.release(ANN, 5);
  await clock.advance(MAX_PLACE_WAIT_MS);
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
  expect(places.free).toBe(0);
});

it('refuses all places when it is closed, and ends all waits', async () => {
  await full();
  const waiting = places.acquire(ANN);
  places.close();
  expect(await waiting).toBe(false);
  places.release(ANN, 5);
  expect(places.free).toBe(1);
  expect(await places.acquire(ANN)).toBe(false);
});
