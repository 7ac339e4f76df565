import { beforeEach, expect, it } from 'vitest';
import {
  MAX_PATIENCE_MS,
  MAX_PROMISED_PER_PLACE,
  PLACE_PATIENCE_MS,
  Places,
} from '../../src/worker/run-slots.ts';
import { StandingClock } from './harness.ts';

const SIZE = 10;
let clock: StandingClock;
let places: Places;
beforeEach(() => {
  clock = new StandingClock();
  places = new Places(SIZE, clock);
});

/** All are taken. `ranForMs`: tasks that ran so long have been here before. */
async function full(ranForMs?: number, size = SIZE): Promise<void> {
  places = new Places(size, clock);
  for (let i = 0; i < size; i++) await places.take();
  if (ranForMs === undefined) return;
  places.leave(ranForMs);
  await places.take();
}

const promises = (): number => {
  let made = 0;
  while (places.promise()) made++;
  for (let i = 0; i < made; i++) places.redeem();
  return made;
};

/** After how long a place was given, or refused. */
async function waited(): Promise<{ given: boolean; ms: number }> {
  const began = clock.now();
  const given = await places.take();
  return { given, ms: clock.now() - began };
}
const REFUSED_SOON = { given: false, ms: PLACE_PATIENCE_MS };
const REFUSED_LATE = { given: false, ms: MAX_PATIENCE_MS };

it('before anything has ended, tasks are taken to be short', async () => {
  expect(promises()).toBe(SIZE * MAX_PROMISED_PER_PLACE);
  await full();
  expect(promises()).toBe(SIZE * (MAX_PROMISED_PER_PLACE - 1));
});

it.each([
  [1, MAX_PROMISED_PER_PLACE],
  [100, 20],
  [PLACE_PATIENCE_MS, 2],
  [60_000, 1],
])('of tasks that run %d ms, %d are promised for each place', async (ranForMs, each) => {
  await full(ranForMs);
  expect(promises()).toBe(SIZE * (each - 1));
});

it('what was in a place without running says nothing about tasks', async () => {
  await full();
  places.leave(undefined);
  expect(promises()).toBe(SIZE * (MAX_PROMISED_PER_PLACE - 1) + 1);
});

it('when somebody has waited in vain and nothing has ended, they are not short', async () => {
  await full();
  const waiting = waited();
  await clock.advance(MAX_PATIENCE_MS);
  expect(await waiting).toEqual(REFUSED_SOON);
  expect(promises()).toBe(SIZE);
});

it('who waits is given up on after a while, later where its turn comes within that', async () => {
  await full(600, 1);
  const waiting = [waited(), waited()];
  await clock.advance(MAX_PATIENCE_MS);
  // the first after 600 ms, the second after 1,200
  expect(await Promise.all(waiting)).toEqual([REFUSED_LATE, REFUSED_SOON]);
});

it('who began to wait before anything had ended waits on, if it turns out that its turn comes soon', async () => {
  await full();
  const waiting = Array.from({ length: 12 }, waited);
  await clock.advance(PLACE_PATIENCE_MS / 2);
  places.leave(900);
  await clock.advance(MAX_PATIENCE_MS);
  const [first, ...others] = await Promise.all(waiting);
  expect(first).toEqual({ given: true, ms: PLACE_PATIENCE_MS / 2 });
  // eleven are left for ten places: the last would wait for 990 ms
  expect(others).toEqual(Array(11).fill(REFUSED_LATE));
});

it('a place that becomes free goes to who has waited longest', async () => {
  await full();
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async (n) => (await places.take()) && order.push(n));
  for (let i = 0; i < 2; i++) places.leave(5);
  await clock.advance(MAX_PATIENCE_MS);
  await Promise.all(waiting);
  expect(order).toEqual([1, 2]);
  expect(places.free).toBe(0);
});

it('when closed, none is given any more, and who waits is told', async () => {
  await full();
  const waiting = places.take();
  places.close();
  expect(await waiting).toBe(false);
  places.leave(5);
  expect(places.free).toBe(1);
  expect(await places.take()).toBe(false);
});
